#include "train/resume.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "core/errors.hpp"
#include "core/threads.hpp"
#include "core/torch.hpp"
#include "core/version.hpp"

namespace cvf::train {
namespace {

constexpr std::array free_keys{"train.epochs", "train.steps",      "train.minutes",   "checkpoint.",
                               "log.",         "loader.memory_mb", "loader.prefetch", "validation.",
                               "solver.",      "generate.",        "data.file"};

// The lines of a resolved TOML as "table.key" -> "value".
std::map<std::string, std::string> settings_of(const std::string& toml) {
  std::map<std::string, std::string> out;
  std::istringstream in(toml);
  std::string table;
  for (std::string line; std::getline(in, line);) {
    const auto equals = line.find(" = ");
    if (line.starts_with('[')) {
      table = line.substr(1, line.size() - 2) + ".";
    } else if (equals != std::string::npos) {
      out[table + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return out;
}

bool is_free(const std::string& key) {
  return std::any_of(free_keys.begin(), free_keys.end(),
                     [&](const char* prefix) { return key.starts_with(prefix); });
}

}  // namespace

void check_same_run(const Checkpoint& checkpoint, const std::string& run_toml) {
  const auto before = settings_of(checkpoint.files.at(std::string(model::run_file))),
             now = settings_of(run_toml);
  for (const auto& [key, value] : now) {
    const auto found = before.find(key);
    const std::string old = found == before.end() ? "not set" : found->second;
    if (old != value && !is_free(key)) {
      throw ConfigError(
          "{}: this run was begun with {} = {}, not {}; give another --out, or --overwrite to begin anew",
          checkpoint.folder, key, old, value);
    }
  }
}

std::string versions() {
  return fmt::format("cvf {} ({})\nLibTorch {}\ncompiler {}\nthreads {}\n", version, commit, TORCH_VERSION,
                     __VERSION__, threads::count());
}

}  // namespace cvf::train

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/machine.hpp"
#include "core/threads.hpp"
#include "core/torch.hpp"
#include "train/checkpoint.hpp"

namespace cvf::train {
namespace {

constexpr std::array free_keys{"train.epochs", "train.steps",      "train.minutes",   "checkpoint.",
                               "log.",         "loader.memory_mb", "loader.prefetch", "validation.",
                               "evaluation.",  "solver.",          "generate.",       "data.file"};

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
      out[config::current_name(table + line.substr(0, equals))] = line.substr(equals + 3);
    }
  }
  return out;
}

constexpr std::array own_keys{"loader.memory_mb", "loader.prefetch", "data.file", "generate."};  // of a rank

template <std::size_t N>
bool is_one_of(const std::string& key, const std::array<const char*, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char* prefix) { return key.starts_with(prefix); });
}

}  // namespace

// A key that the program of then did not know had its default all along.
void check_same_run(const Checkpoint& checkpoint, const std::string& run_toml) {
  auto before = settings_of(checkpoint.files.at(std::string(model::run_file)));
  before.emplace("field.activation", "\"gelu\"");  // what older runs had, without a key for it
  for (const char* key : {"objective.rupture.rows", "objective.rows"}) before.emplace(key, "1.0");
  before.emplace("normalizer.relative_epsilon", "0.0");
  const auto now = settings_of(run_toml), defaults = settings_of(RunOptions().to_toml());
  const auto value_in = [](const auto& settings, const std::string& key, const std::string& otherwise) {
    const auto found = settings.find(key);
    return found == settings.end() ? otherwise : found->second;
  };
  for (const auto& [key, value] : now) {
    const std::string old = value_in(before, key, value_in(defaults, key, "not set"));
    if (old != value && !is_one_of(key, free_keys)) {
      throw ConfigError(
          "{}: this run was begun with {} = {}, not {}; give another --out, or --overwrite to begin anew",
          checkpoint.folder, key, old, value);
    }
  }
}

void check_same_settings(ProcessGroup& group, const std::string& run_toml) {
  auto settings = settings_of(run_toml);
  std::erase_if(settings, [](const auto& entry) { return is_one_of(entry.first, own_keys); });
  settings["the program"] = fmt::format("cvf {} ({}) with LibTorch {}", version, commit, TORCH_VERSION);
  group.check_same(settings);
}

void check_same_data(ProcessGroup& group, const RunData& run_data) {
  const auto& description = run_data.source->description();
  group.check_same({{"the number of samples in data.file", fmt::format("{}", description.samples)},
                    {"the content of data.file", run_data.spec.state.data_hash}});
}

void check_same_start(ProcessGroup& group, const std::optional<Checkpoint>& checkpoint) {
  std::string content = "none";
  if (checkpoint) {
    Sha256 hash;
    for (const auto& [name, bytes] : checkpoint->files) hash.add(bytes);
    content = fmt::format("step {} ({})", checkpoint->position.step, hex(hash.finish()).substr(0, 16));
  }
  group.check_same({{"the newest checkpoint in --out", content}});
}

std::string versions() {
  return fmt::format("cvf {} ({})\nLibTorch {}\ncompiler {}\nthreads {}\n", version, commit, TORCH_VERSION,
                     __VERSION__, threads::count());
}

}  // namespace cvf::train

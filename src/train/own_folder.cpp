#include "train/own_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "model/trained_model.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

constexpr std::string_view failure_begin = "failure-step-", failure_end = ".safetensors";
constexpr std::array plain_files{"run.toml",
                                 "versions.txt",
                                 "log.jsonl",
                                 "metrics.csv",
                                 "evaluation.json",
                                 "evaluation.csv",
                                 "evaluation.time_informed.h5",
                                 "evaluation.time_informed.h5.part",
                                 "evaluation.time_informed.h5.journal"};
constexpr std::array other_names{"last", "best", "checkpoints", "tensorboard", "failure-step-*.safetensors"};

std::string marker_text() {
  std::string out = "# What this run of cvf train writes here; --overwrite removes these and nothing else.\n";
  for (const auto* name : plain_files) out += fmt::format("{}\n", name);
  for (const auto* name : other_names) out += fmt::format("{}\n", name);
  return out;
}

// What a write that was cut short leaves: NAME.tmp123.
std::string without_ending(const std::string& name) {
  const auto at = name.rfind(".tmp");
  const bool cut =
      at != std::string::npos && name.find_first_not_of("0123456789", at + 4) == std::string::npos;
  return cut ? name.substr(0, at) : name;
}

bool is_plain_file(const std::string& name) {
  const std::string stem = without_ending(name);
  if (std::find(plain_files.begin(), plain_files.end(), stem) != plain_files.end()) return true;
  return stem.starts_with(failure_begin) && stem.ends_with(failure_end);
}

bool is_best(const std::string& name) {
  return name == "best" || name == "best.cvf-new" || name == "best.cvf-old";
}

bool is_ours(const std::string& name) {
  return is_plain_file(name) || is_best(name) || name == "last" || name == ".last.tmp" ||
         name == "checkpoints" || name == "tensorboard";
}

bool is_housekeeping(const std::string& name) {
  return name == ".lock" || name == ".ranks" || without_ending(name) == marker_name;
}

void append(Paths& all, const Paths& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// A folder of folders or files that are ours, each removed by `remove_one`, which returns what stays.
Paths remove_shelf(const fs::path& shelf,
                   const std::function<Paths(const fs::directory_entry&)>& remove_one) {
  Paths left;
  for (const auto& item : fs::directory_iterator(shelf)) append(left, remove_one(item));
  if (left.empty()) fs::remove(shelf);
  return left;
}

Paths remove_item(const fs::directory_entry& item) {
  const std::string path = item.path().string(), name = item.path().filename().string();
  const bool is_folder = item.is_directory() && !item.is_symlink();
  if (is_housekeeping(name)) return {};
  if (is_ours(name) && !is_folder) {
    fs::remove(item.path());
    return {};
  }
  if (is_best(name)) return model::folder::remove(path, model::all_files);
  if (name == "checkpoints") {
    return remove_shelf(item.path(), [](const fs::directory_entry& inside) {
      const bool ours = inside.is_directory() && is_checkpoint_name(inside.path().filename().string(), true);
      return ours ? remove_checkpoint(inside.path().string()) : Paths{inside.path().string()};
    });
  }
  if (name == "tensorboard") {
    return remove_shelf(item.path(), [](const fs::directory_entry& inside) {
      const bool ours = inside.path().filename().string().starts_with("events.out.tfevents.");
      if (!ours || inside.is_directory()) return Paths{inside.path().string()};
      fs::remove(inside.path());
      return Paths{};
    });
  }
  return {path};
}

// Runs of programs that did not leave a marker: their checkpoints are models with a manifest.
bool has_checkpoints(const std::string& folder) {
  std::error_code none;
  for (const auto& item : fs::directory_iterator(folder + "/checkpoints", none)) {
    if (is_checkpoint_name(item.path().filename().string()) &&
        fs::exists(item.path() / model::folder::manifest_name))
      return true;
  }
  return false;
}

void refuse_foreign(const std::string& folder, bool anew) {
  for (const auto& item : fs::directory_iterator(folder)) {
    const std::string name = item.path().filename().string();
    if (is_housekeeping(name)) continue;
    if (is_ours(name)) {
      throw UsageError(
          "{}: would be written over, and no run of cvf train has written it; move it away, or give another "
          "--out",
          item.path().string());
    }
    if (anew) {
      throw UsageError("{}: holds '{}' and no run of cvf train, so it is not replaced; give another --out",
                       folder, name);
    }
  }
}

void begin_anew(const std::string& folder) {
  Paths left;
  for (const auto& item : fs::directory_iterator(folder)) append(left, remove_item(item));
  if (left.empty()) return;
  constexpr std::size_t most = 5;
  std::sort(left.begin(), left.end());
  const Paths first(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(std::min(most, left.size())));
  log::warning("{}: the run before is removed; what it did not write stays: {}{}", folder, text::join(first),
               left.size() > most ? fmt::format(" and {} more", left.size() - most) : "");
}

std::string in(const std::string& folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

// --overwrite removes what an earlier run wrote, and so must not be given a file of that run to read.
void refuse_inputs(const std::string& folder, const Paths& inputs) {
  std::error_code none;
  for (const auto& input : inputs) {
    if (!fs::exists(input, none)) continue;
    const fs::path inside = fs::canonical(input, none).lexically_relative(fs::weakly_canonical(folder, none));
    if (inside.empty() || inside.begin()->string() == ".." || !is_ours(inside.begin()->string())) continue;
    throw UsageError(
        "{}: --overwrite would remove this file, which the command reads; copy it out of {} first", input,
        folder);
  }
}

// A refusal comes before the lock, which is a file of ours in a folder that may be somebody else's.
std::string made(const std::string& folder, const Claim& claim) {
  const bool anew = claim.anew;
  if (anew) refuse_inputs(folder, claim.inputs);
  try {
    fs::create_directories(folder);
    if (!fs::exists(in(folder, marker_name)) && !has_checkpoints(folder)) refuse_foreign(folder, anew);
  } catch (const fs::filesystem_error& error) {
    throw DataError("{}: cannot be the folder of a run: {}; give another --out", folder,
                    error.code().message());
  }
  return folder;
}

}  // namespace

OwnFolder::OwnFolder(const std::string& path, const Claim& claim)
    : path_(made(path, claim)), lock_(path_, claim.patience) {
  files::write_atomically(in(path_, marker_name), marker_text());
  try {
    if (claim.anew) begin_anew(path_);
  } catch (const fs::filesystem_error& error) {
    throw DataError("{}: cannot be removed: {}", error.path1().string(), error.code().message());
  }
}

void OwnFolder::check() const {
  if (lock_.in_place()) return;
  throw DataError(
      "{}: the folder of this run was removed or replaced while it trained; nothing can be saved there, and "
      "the same command begins anew",
      path_);
}

bool is_checkpoint_name(const std::string& name, bool leftover) {
  constexpr std::string_view begin = "step-";
  if (!name.starts_with(begin)) return false;
  const auto end = name.find_first_not_of("0123456789", begin.size());
  if (end == begin.size()) return false;
  if (end == std::string::npos) return true;
  const std::string ending = name.substr(end);
  return leftover && (ending == ".cvf-new" || ending == ".cvf-old");
}

std::vector<std::string> remove_checkpoint(const std::string& folder) {
  return model::folder::remove(folder, model::all_files);
}

}  // namespace cvf::train

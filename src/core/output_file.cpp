#include "core/output_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/errors.hpp"
#include "core/files.hpp"

namespace cvf::files {
namespace {

namespace fs = std::filesystem;

// Files by which the folder of a model, a run or a study is recognised. Old runs have no .cvf-run.
constexpr std::array folder_marks{"SHA256SUMS", ".cvf-run", "results.jsonl", "checkpoints"};

// Files of such folders that no command can make again from the others.
constexpr std::array<std::string_view, 19> kept_names{"SHA256SUMS",
                                                      "model.toml",
                                                      "run.toml",
                                                      "weights.safetensors",
                                                      "normalizer.safetensors",
                                                      "training.toml",
                                                      "training.safetensors",
                                                      ".cvf-run",
                                                      "versions.txt",
                                                      "log.jsonl",
                                                      "metrics.csv",
                                                      "study.toml",
                                                      "results.jsonl",
                                                      "results-before.jsonl",
                                                      "floors.json",
                                                      "cell.json",
                                                      "output.log",
                                                      "data.log",
                                                      ".lock"};
constexpr std::array<std::string_view, 2> kept_beginnings{"failure-step-", "events.out.tfevents."};
constexpr std::array<std::string_view, 2> kept_endings{".calibration.toml",
                                                       ".step-errors.toml"};  // MODEL.ending

bool is_marked(const fs::path& folder) {
  return std::ranges::any_of(folder_marks, [&](const char* mark) {
    std::error_code none;
    return fs::exists(folder / mark, none);
  });
}

bool belongs_to_model(const fs::path& file) {
  const std::string name = file.filename().string();
  const fs::path folder = file.parent_path();
  for (const auto ending : kept_endings) {
    if (name.ends_with(ending) && is_marked(folder / name.substr(0, name.size() - ending.size())))
      return true;
  }
  const bool known =
      std::ranges::find(kept_names, name) != kept_names.end() ||
      std::ranges::any_of(kept_beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
  return known && (is_marked(folder) || is_marked(folder.parent_path()));
}

// By the name under which it was given, and by that of the file where it is a link.
bool is_part_of_a_model(const std::string& path) {
  std::error_code none;
  const fs::path given(path);
  const fs::path folder = fs::weakly_canonical(given.has_parent_path() ? given.parent_path() : ".", none);
  if (belongs_to_model(folder / given.filename())) return true;
  const fs::path found = fs::canonical(given, none);
  return !none && belongs_to_model(found);
}

void check_kept(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code none;
  if (!fs::exists(path, none)) return;
  if (is_part_of_a_model(path))
    throw UsageError(
        "{}: belongs to a model, a run or a study, and is never replaced; give another name for the output",
        path);
  if (std::ranges::any_of(inputs, [&](const std::string& input) { return same_file(path, input); }))
    throw UsageError("{}: is a file that this command reads; give another name for the output", path);
}

}  // namespace

void check_output(const OutputFile& output) {
  for (const auto& ending : output.endings) check_kept(output.path + ending, output.inputs);
  check_kept(output.path, output.inputs);
  std::error_code none;
  const fs::file_status status = fs::status(output.path, none);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) throw DataError("{}: is a folder; give the name of a file", output.path);
  if (!fs::is_regular_file(status))
    throw DataError("{}: is no regular file, and is not replaced; give another name for the output",
                    output.path);
  if (!output.overwrite)
    throw DataError("{}: exists already; give --overwrite to replace it, or another name", output.path);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code none;
  for (fs::recursive_directory_iterator item(folder, none), end; !none && item != end; item.increment(none)) {
    std::error_code gone;
    if (item->is_regular_file(gone)) out.push_back(item->path().string());
  }
  return out;
}

}  // namespace cvf::files

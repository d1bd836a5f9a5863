#include "train/checkpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "model/tensors.hpp"
#include "train/own_folder.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;

std::string shelf(const std::string& run) {
  return run + "/checkpoints";
}

std::string name_of(std::int64_t step) {
  return fmt::format("step-{:09}", step);
}

// Somebody's own file can hold the folder of a checkpoint that was removed.
bool is_emptied(const fs::path& folder) {
  return std::none_of(model::all_files.begin(), model::all_files.end(),
                      [&](std::string_view name) { return fs::exists(folder / name); });
}

// Newest first. What a killed save left beside them has another ending.
std::vector<std::string> folders_of(const std::string& run) {
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& item : fs::directory_iterator(shelf(run), none)) {
    if (is_checkpoint_name(item.path().filename().string()) && !is_emptied(item.path()))
      out.push_back(item.path().string());
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

// Renaming a fresh link over the old one: there is always a `last`.
void point_last_to(const std::string& run, const std::string& name) {
  const std::string link = run + "/last", fresh = run + "/.last.tmp";
  std::error_code ignored;
  fs::remove(fresh, ignored);
  fs::create_symlink("checkpoints/" + name, fresh);
  fs::rename(fresh, link);
}

void remove_ours(const std::string& folder) {
  const auto left = remove_checkpoint(folder);
  if (!left.empty())
    log::warning("{}: is removed but for what it did not write: {}", folder, text::join(left));
}

// What saves that were cut short left behind.
void remove_leftovers(const std::string& run) {
  for (const auto& item : fs::directory_iterator(shelf(run))) {
    const std::string name = item.path().filename().string();
    if (is_checkpoint_name(name, true) && !is_checkpoint_name(name)) remove_ours(item.path().string());
  }
}

// While it lives, the averaged weights are the model's, and the optimizer keeps the raw ones as its
// "average".
class Averaged {
 public:
  explicit Averaged(Optimizer& optimizer) : optimizer_(optimizer) { optimizer_.swap_average(); }
  ~Averaged() { optimizer_.swap_average(); }
  Averaged(const Averaged&) = delete;
  Averaged& operator=(const Averaged&) = delete;

 private:
  Optimizer& optimizer_;
};

}  // namespace

void Position::describe(config::Section& s) {
  s.key("step", &step, "", config::at_least(0));
  auto epoch = static_cast<std::int64_t>(cursor.epoch), next = static_cast<std::int64_t>(cursor.batch);
  s.key("epoch", &epoch, "", config::at_least(0));
  s.key("next_batch", &next, "", config::at_least(0));
  cursor = {static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(next)};
  s.key("batches", &batches, "", config::at_least(0));
  s.key("seconds", &seconds, "");
  s.key("best_error", &best_error, "");
  s.key("best_metric", &best_metric, "");
  s.key("best_every_frame", &best.every_frame, "");
  s.key("best_training_grid", &best.training_grid, "");
  s.key("best_normalized_every_frame", &best_normalized.every_frame, "");
  s.key("best_normalized_training_grid", &best_normalized.training_grid, "");
  s.key("best_step", &best_step, "");
  s.key("last_step_done", &last_step_done, "");
  s.key("validation_due", &validation_due, "");
  s.key("batch", &batch, "");
  s.key("data_hash", &data_hash, "");
}

void save_checkpoint(const std::string& run, const model::TrainedModel& model, Optimizer& optimizer,
                     const Position& position, int keep) {
  const Averaged averaged(optimizer);
  Position where = position;
  auto files = model::files_of(model);
  files.emplace(model::progress_file, config::write([&](config::Section& s) { where.describe(s); }));
  files.emplace(model::moments_file, model::to_safetensors(optimizer.state()));
  fs::create_directories(shelf(run));
  const std::string name = name_of(position.step);
  model::folder::replace(shelf(run) + "/" + name, files);
  settle_checkpoint(run, position.step, keep);
}

// Newer ones than this are damaged, or else the run would have gone on from there: they do not count.
void settle_checkpoint(const std::string& run, std::int64_t step, int keep) {
  const std::string name = name_of(step);
  point_last_to(run, name);
  auto older = folders_of(run);
  std::erase_if(older, [&](const std::string& path) { return fs::path(path).filename() >= name; });
  for (std::size_t i = static_cast<std::size_t>(keep) - 1; i < older.size(); ++i) remove_ours(older[i]);
  remove_leftovers(run);
}

std::optional<Checkpoint> newest_checkpoint(const std::string& run) {
  const auto all = folders_of(run);
  for (const auto& folder : all) {
    try {
      Checkpoint out;
      out.folder = folder;
      out.files = model::read_files(folder);
      for (const auto name : {model::progress_file, model::moments_file}) {
        if (!out.files.contains(std::string(name)))
          throw ModelError("{}/{}: the file is missing", folder, name);
      }
      config::Document::from_text(out.files.at(std::string(model::progress_file)), folder)
          .read([&](config::Section& s) { out.position.describe(s); });
      return out;
    } catch (const Error& error) {
      log::warning("{}; trying the checkpoint before it", error.what());
    }
  }
  if (!all.empty()) throw ModelError("{}: every checkpoint is damaged", shelf(run));
  return std::nullopt;
}

void restore(const Checkpoint& checkpoint, model::TrainedModel& model, Optimizer& optimizer) {
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", checkpoint.folder, name); };
  const auto file = [&](std::string_view name) -> const std::string& {
    return checkpoint.files.at(std::string(name));
  };
  const auto tensors = [&](std::string_view name, const NamedTensors& expected) {
    return model::from_safetensors(file(name), path(name), expected);
  };
  const auto moments = tensors(model::moments_file, optimizer.state());
  const auto statistics = tensors(model::normalizer_file, model.normalizer->state());
  model::load_into(*model.field, file(model::weights_file), path(model::weights_file));
  model.normalizer->load(statistics);
  const auto before = model::from_toml(file(model::model_file), path(model::model_file));
  model.spec.state.lowest = before.state.lowest;
  model.spec.state.highest = before.state.highest;
  optimizer.load(moments, checkpoint.position.step);
  optimizer.swap_average();
}

double checkpoint_bytes(const model::TrainedModel& model, const Optimizer& optimizer) {
  double bytes = 1e5;  // texts and headers
  for (const auto& [name, tensor] : model::tensors_of(*model.field))
    bytes += static_cast<double>(tensor.nbytes());
  for (const auto& [name, tensor] : optimizer.state()) bytes += static_cast<double>(tensor.nbytes());
  return bytes;
}

}  // namespace cvf::train

// Tiny runs: a file with a few trajectories and settings that train in a blink.
#pragma once

#include <filesystem>
#include <string>

#include "model/files.hpp"
#include "support/run_folder.hpp"
#include "support/scratch.hpp"
#include "train/run_data.hpp"
#include "train/trainer.hpp"

namespace cvf::testing_support {

/// A pendulum, a small residual network, 40 steps.
inline std::string tiny_run(const std::string& data_file, const std::string& more = "") {
  return fmt::format(R"(
seed = 3
data.file = "{}"
generate.name = "pendulum"
generate.samples = 10
generate.frames = 33
split.train = "0:8"
split.validation = "8:9"
split.test = "9:10"
downsampling.factor = 2
loader.batch = 32
field.name = "mlp"
field.width = 16
field.depth = 1
optimizer.learning_rate = 0.01
train.steps = 40
checkpoint.steps = 10
checkpoint.minutes = 0.0
log.steps = 5
log.diagnostics = 20
validation.steps = 20
evaluation.samples = 0
{}
)",
                     data_file, more);
}

inline train::RunOptions options_of(const std::string& toml) {
  auto out = train::RunOptions::read(config::Document::from_text(toml, "test"));
  train::provide_data(out);
  return out;
}

inline train::Outcome run(const std::string& toml, const std::string& folder) {
  train::ProcessGroup alone;
  return train::train(options_of(toml), folder, alone);
}

/// A copy of a tiny run that kept three checkpoints, as it was after 20 of its 40 steps.
inline void back_to_step_20(const std::string& run, const std::string& copy) {
  namespace fs = std::filesystem;
  fs::copy(run, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  for (const char* later : {"/checkpoints/step-000000030", "/checkpoints/step-000000040", "/last"})
    fs::remove_all(copy + later);
  fs::create_symlink("checkpoints/step-000000020", copy + "/last");
}

/// A model's or checkpoint's folder as programs wrote it that did not know of this line of its TOML files.
inline void forget_line(const std::string& folder, const std::string& line) {
  model::folder::Files texts;
  for (const auto& [name, bytes] : model::read_files(folder)) {
    std::string text = bytes;
    const auto key = text.find(line + "\n");
    if (name.ends_with(".toml") && key != std::string::npos) text.erase(key, line.size() + 1);
    texts.emplace(name, text);
  }
  model::folder::replace(folder, texts);
}

}  // namespace cvf::testing_support

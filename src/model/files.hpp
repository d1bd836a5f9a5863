// The files of a model's folder, by name (trained_model.hpp says what is in them).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "model/folder.hpp"

namespace cvf::model {

/// Every file of a model's folder, and those of training where there are any, verified.
folder::Files read_files(const std::string& folder);

inline constexpr std::string_view model_file = "model.toml", run_file = "run.toml",
                                  weights_file = "weights.safetensors",
                                  normalizer_file = "normalizer.safetensors", progress_file = "training.toml",
                                  moments_file = "training.safetensors";

/// Every name that a file of a model or checkpoint can have, but the manifest's.
inline constexpr std::array all_files{model_file,      run_file,      weights_file,
                                      normalizer_file, progress_file, moments_file};

}  // namespace cvf::model

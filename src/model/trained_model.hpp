// A trained model: velocity field, normalizer and everything needed to use them again, as one value in memory
// and one folder on disk.
//
//   model.toml               what it is (Recipe)
//   run.toml                 the resolved configuration that it was trained with
//   weights.safetensors      the field's tensors under plain names
//   normalizer.safetensors   the statistics, double
//   SHA256SUMS               the manifest, written last
#pragma once

#include "model/recipe.hpp"

namespace cvf::model {

struct TrainedModel {
  Recipe recipe;
  fields::FieldPointer field;
  std::shared_ptr<normalizers::Normalizer> normalizer;
  std::string run_toml;

  /// The mean velocity over dt [B] from the state on, both in physical units: sigma_s * den(psi(s~, dt)).
  /// Without gradients; the answer has the state's type and device.
  normalizers::Physical velocity(const normalizers::Physical& state, const torch::Tensor& dt) const;
};

/// A model with fresh weights and unit statistics, as its recipe says.
TrainedModel build(const Recipe& recipe, std::uint64_t seed);

/// Replaces the folder as a whole: a crash at any moment leaves the old model or the new one for `load`.
void save(const TrainedModel& model, const std::string& folder);

/// Throws a ModelError with one sentence for a folder that is missing, damaged, of another format or does not
/// fit its own configuration.
TrainedModel load(const std::string& folder);

}  // namespace cvf::model

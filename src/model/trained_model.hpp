// A trained model: velocity field, normalizer and everything needed to use them again, as one value in memory
// and one folder on disk.
//
//   model.toml               what it is (ModelSpec)
//   run.toml                 the resolved configuration that it was trained with
//   weights.safetensors      the field's tensors under plain names
//   normalizer.safetensors   the statistics, double
//   training.toml, training.safetensors   in a checkpoint only: what training needs to go on (train room)
//   SHA256SUMS               the manifest, written last
#pragma once

#include <memory>

#include "fields/field.hpp"
#include "model/context.hpp"
#include "model/files.hpp"
#include "model/spec_of.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::model {

/// The spec of a model on tensors.
using ModelSpec = SpecOf<fields::Choice>;

std::string to_toml(ModelSpec spec);
ModelSpec from_toml(std::string_view text, const std::string& name);

struct TrainedModel {
  ModelSpec spec;
  fields::FieldPointer field;
  std::shared_ptr<normalizers::Normalizer> normalizer;
  std::string run_toml;

  /// The mean velocity over dt [B] from the state on, both in physical units: sigma_s * den(psi(s~, dt)).
  /// Without gradients; the answer has the state's type and device.
  normalizers::Physical velocity(const normalizers::Physical& state, const torch::Tensor& dt) const;
};

/// A model with fresh weights and unit statistics, as its spec says.
TrainedModel build(const ModelSpec& spec, std::uint64_t seed);

/// Replaces the folder as a whole: a crash at any moment leaves the old model or the new one for `load`.
void save(const TrainedModel& model, const std::string& folder);

/// Throws a ModelError with one sentence for a folder that is missing, damaged, of another format or does not
/// fit its own configuration.
TrainedModel load(const std::string& folder);

/// A checkpoint is a model with further files: the two halves of save and load, for who adds some.
folder::Files files_of(const TrainedModel& model);
TrainedModel from_files(const folder::Files& files, const std::string& folder);

}  // namespace cvf::model

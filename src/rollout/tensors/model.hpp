// A model of tensors for the protocols, and its parts for who works with tensors alone.
#pragma once

#include "model/trained_model.hpp"
#include "rollout/fit.hpp"
#include "solvers/tensors/integrate.hpp"

namespace cvf::rollout {

using normalizers::Physical;

/// Refers to the model.
ModelPointer on_tensors(const model::TrainedModel& model);
Facts facts_of(const model::TrainedModel& model);

/// States with so many axes before the channel, as the protocols take them. Shares the memory where the
/// tensor is on the CPU, contiguous, of float or double.
StateArray array_of(const torch::Tensor& states, std::size_t leading = 1);
/// In the same memory; undefined where there are no states.
torch::Tensor tensor_of(const StateArray& states);

/// Physical states [B,C,...] -> s~ in the field's precision and place.
torch::Tensor to_model(const model::TrainedModel& model, const Physical& states);
/// s~ [B,C,...] -> physical units, in the type of `like`.
Physical to_physical(const model::TrainedModel& model, const torch::Tensor& states,
                     const torch::Tensor& like);

/// The contexts of states [B,C,...] in model units.
model::Contexts contexts_for(const model::TrainedModel& model, const SampleContexts& samples,
                             const torch::Tensor& states);

/// den(psi(s~, u, dt)): row i of a solve is sample i of the contexts; the field of a model of several members
/// is their mean. Refers to the model and the contexts.
solvers::Velocity velocity_of(const model::TrainedModel& model, const model::Contexts& contexts);

}  // namespace cvf::rollout

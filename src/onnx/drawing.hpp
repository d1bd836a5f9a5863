// The graph around a network: physical units in and out, the context as inputs, the step as an output.
#pragma once

#include "model/spec_of.hpp"
#include "onnx/networks.hpp"
#include "runtime/units.hpp"

namespace cvf::onnx {

using Spec = model::SpecOf<Choice>;

/// Before the names of the tensors of a member; empty for a model of one.
std::string member_prefix(const Spec& spec, int member);

/// Inputs state, dt and what the model knows of parameters, static, controls and control_fields; outputs
/// velocity (the mean of all members) and next = state + dt * velocity.
Graph draw(const Spec& spec, const Network& network, const runtime::Units& units,
           const runtime::Weights& weights);

}  // namespace cvf::onnx

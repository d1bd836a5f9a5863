// The spec of a model on tensors.
#pragma once

#include <memory>

#include "fields/field.hpp"
#include "model/context.hpp"
#include "model/spec_of.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::model {

using ModelSpec = SpecOf<fields::Choice>;

std::string to_toml(ModelSpec spec);
ModelSpec from_toml(std::string_view text, const std::string& name);

}  // namespace cvf::model

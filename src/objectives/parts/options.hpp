// Options that several objectives share, described in one place.
#pragma once

#include "core/config.hpp"
#include "objectives/splines.hpp"

namespace cvf::objectives {

/// Which spline; `with_none` for those that can do without.
void describe_spline(config::Section& section, std::string_view name, Spline& spline, bool with_none);

/// Whether the field sees dt. Methods that learn a tangent leave it blind, as if dt were 0.
void describe_conditioned(config::Section& section, bool& conditioned);

/// The step that the field is shown: dt, or 0 for a field that must not see it.
torch::Tensor shown(bool conditioned, const torch::Tensor& dt);

}  // namespace cvf::objectives

// The solver that suits the field of each objective.
#pragma once

#include <span>
#include <string_view>

namespace cvf::objectives {

/// "euler", "rk4" or "gcs"; a UsageError for an objective that is not known.
std::string_view default_solver(std::string_view objective);

}  // namespace cvf::objectives

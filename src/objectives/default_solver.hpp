// The solvers that suit the field of each objective.
#pragma once

#include <span>
#include <string_view>

namespace cvf::objectives {

/// Of a new run: "euler" (one evaluation a step) or "rk4"; a UsageError for an objective that is not known.
std::string_view default_solver(std::string_view objective);

/// The one that judges its steps and searches for their length: "gcs" for a field of cvf, else the default.
/// It was the default, too, when folders were written whose run file names no solver.
std::string_view searching_solver(std::string_view objective);

}  // namespace cvf::objectives

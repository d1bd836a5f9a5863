// Checks of the audit that look at times and at neighbours; each adds its findings.
#pragma once

#include <vector>

#include "data/audit.hpp"

namespace cvf::data {

/// To a thousandth, which is how exact stamps in float32 are.
bool evenly_spaced(const std::vector<double>& times);

/// Does one frame say anything about the next? Names noise, and axes n and t the other way round.
void check_resemblance(const Source& source, Audit& audit);

/// Attributes such as dt or dx that contradict the times or coordinates.
void check_spacings(const Source& source, Audit& audit);

}  // namespace cvf::data

// How the cost of an evaluation grows with the number of tokens and the width.
#pragma once

#include "run.hpp"

namespace cvf::bench {

/// One line for each size: milliseconds of a sample, inference and training, and attention's measured share.
void print_growth(const FieldSettings& settings);

}  // namespace cvf::bench

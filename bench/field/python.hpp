// The fused field against the same network in plain Python with torch, in turns.
#pragma once

#include "run.hpp"

namespace cvf::bench {

/// Runs torch_sit.py beside us with settings.python; configuration A, inference and training.
void print_against_python(const FieldSettings& settings);

}  // namespace cvf::bench

// Which flavour of the CPU kernels this machine runs.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cpu/plan.hpp"

namespace cvf::kernels {

/// The best flavour for this CPU; the environment variable CVF_CPU may name a lesser one.
const cpu::Kernels& cpu_kernels();

/// Every flavour that this CPU can run, for tests.
std::vector<const cpu::Kernels*> runnable_kernels();

/// For tests: takes this flavour from now on.
void use_kernels(const cpu::Kernels& kernels);

}  // namespace cvf::kernels

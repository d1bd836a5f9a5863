// Where everything lies for a SiT network of some size.
#pragma once

#include <vector>

#include "kernels/cpu/plan.hpp"
#include "kernels/sizes.hpp"

namespace cvf::kernels {

cpu::Plan make_plan(const SitSize& size);
cpu::KeepPlan make_keep_plan(const cpu::Plan& plan, bool hidden);

/// patch, then qkv, project, expand, contract of each block, then output.
std::vector<cpu::LinearPlan> flat_plans(const cpu::Plan& plan);

}  // namespace cvf::kernels

#include "kernels/sit_plan.hpp"

#include "kernels/memory.hpp"

namespace cvf::kernels {

cpu::Plan make_plan(const SitSize& z) {
  cpu::Plan plan{};
  plan.channels = static_cast<int>(z.channels), plan.height = static_cast<int>(z.height);
  plan.width = static_cast<int>(z.width), plan.patch = static_cast<int>(z.patch);
  plan.dim = static_cast<int>(z.dim), plan.depth = static_cast<int>(z.depth);
  plan.heads = static_cast<int>(z.heads), plan.head_dim = static_cast<int>(z.head_dim());
  plan.tokens = static_cast<int>(z.tokens());
  plan.dim_panels = panels(z.dim);
  plan.stride = (z.tokens() | 1) * cpu::panel;
  plan.patch_in = place(z.patch_values(), z.dim, plan);
  for (int i = 0; i < plan.depth; ++i) {
    auto& b = plan.blocks[i];
    b.qkv = place(z.dim, 3 * z.dim, plan);
    b.project = place(z.dim, z.dim, plan);
    b.expand = place(z.dim, 4 * z.dim, plan);
    b.contract = place(4 * z.dim, z.dim, plan);
  }
  plan.output = place(z.dim, z.patch_values(), plan);
  plan.positions = plan.weight_floats;
  plan.weight_floats += plan.dim_panels * plan.stride;
  return plan;
}

cpu::KeepPlan make_keep_plan(const cpu::Plan& plan, bool hidden) {
  cpu::KeepPlan keep{};
  long used = 0;
  const auto take = [&](long floats) {
    const long at = used;
    used += (floats + 15) / 16 * 16;
    return at;
  };
  const long matrix = plan.dim_panels * plan.stride;
  keep.hidden = hidden;
  keep.x = take(matrix);
  keep.qkv = take(plan.blocks[0].qkv.out_panels * plan.stride);
  keep.attended = take(matrix);
  keep.row_numbers = take(2l * plan.heads * plan.tokens);
  keep.statistics = take(4l * plan.tokens);
  if (hidden) {
    keep.middle = take(matrix);
    keep.hidden_values = take(plan.blocks[0].expand.out_panels * plan.stride);
  }
  keep.block = used;
  used *= plan.depth;
  keep.last_x = take(matrix);
  keep.last_statistics = take(2l * plan.tokens);
  keep.sample = used;
  return keep;
}

std::vector<cpu::LinearPlan> flat_plans(const cpu::Plan& plan) {
  std::vector<cpu::LinearPlan> out{plan.patch_in};
  for (int i = 0; i < plan.depth; ++i) {
    const auto& b = plan.blocks[i];
    out.insert(out.end(), {b.qkv, b.project, b.expand, b.contract});
  }
  out.push_back(plan.output);
  return out;
}

}  // namespace cvf::kernels

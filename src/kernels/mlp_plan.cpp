#include "kernels/mlp_plan.hpp"

#include "kernels/memory.hpp"

namespace cvf::kernels {

MlpLayout::MlpLayout(const MlpSize& z) {
  plan_.channels = static_cast<int>(z.channels), plan_.dim = static_cast<int>(z.dim);
  plan_.blocks = static_cast<int>(z.depth);
  plan_.dim_panels = panels(z.dim), plan_.inner_panels = panels(z.inner);
  plan_.input = place(z.channels, z.dim, plan_);
  for (std::int64_t i = 0; i < z.depth; ++i)
    blocks_.push_back({place(z.dim, z.inner, plan_), place(z.inner, z.dim, plan_)});
  plan_.output = place(z.dim, z.channels, plan_);
  plan_.block = blocks_.data();
  const long rows = plan_.dim_panels * cpu::mlp_stride;
  plan_.kept_block = 2 * rows + plan_.inner_panels * cpu::mlp_stride + cpu::mlp_statistics;
  plan_.kept_turn = plan_.blocks * plan_.kept_block + rows + cpu::mlp_statistics;
}

std::vector<cpu::LinearPlan> MlpLayout::layers() const {
  std::vector<cpu::LinearPlan> out{plan_.input};
  for (const auto& block : blocks_) out.insert(out.end(), {block.expand, block.contract});
  out.push_back(plan_.output);
  return out;
}

void pack_mlp(const MlpLayout& layout, std::span<const LayerValues> layers, float* packed,
              float* transposed) {
  const auto plans = layout.layers();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    pack_layer(plans[i], layers[i], packed);
    if (transposed != nullptr) pack_layer_transposed(plans[i], layers[i], transposed);
  }
}

}  // namespace cvf::kernels

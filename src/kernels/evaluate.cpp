#include "kernels/sit.hpp"

namespace cvf::kernels {
namespace {

bool is_plain_float(const torch::Tensor& t) {
  return t.device().is_cpu() && t.scalar_type() == torch::kFloat && t.layout() == torch::kStrided;
}

}  // namespace

// The one place where fused and composed are chosen between. Second-order gradients find their way to the
// composed operations by themselves (see FusedSit).
bool fused_applies(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                   const torch::Tensor& modulation) {
  return engine == Engine::automatic && trunk.cache != nullptr && state.size(0) > 0 &&
         is_plain_float(state) && is_plain_float(modulation) && is_plain_float(trunk.patch.weight) &&
         trunk.size.depth <= most_fused_blocks;
}

torch::Tensor evaluate(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                       const torch::Tensor& modulation) {
  return fused_applies(trunk, engine, state, modulation) ? fused_sit(trunk, state, modulation)
                                                         : composed_sit(trunk, state, modulation);
}

}  // namespace cvf::kernels

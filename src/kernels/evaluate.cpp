#include <algorithm>

#include "kernels/layer_hook.hpp"
#include "kernels/plain_float.hpp"
#include "kernels/sit_pack.hpp"

namespace cvf::kernels {

// The one place where fused and composed are chosen between. Second-order gradients find their way to the
// composed operations by themselves (see fused.cpp).
bool fused_applies(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                   const torch::Tensor& modulation) {
  if (engine != Engine::automatic || trunk.cache == nullptr || trunk.size.depth > most_fused_blocks)
    return false;
  if (LayerHook::active()) return false;  // layers can be looked at in the composed operations only
  if (state.size(0) == 0 || !is_plain_float(state) || !is_plain_float(modulation)) return false;
  const auto weights = flat_weights(trunk);
  return std::all_of(weights.begin(), weights.end(), is_dense_float);
}

torch::Tensor evaluate(const SitTrunk& trunk, Engine engine, const torch::Tensor& state,
                       const torch::Tensor& modulation) {
  return fused_applies(trunk, engine, state, modulation) ? fused_sit(trunk, state, modulation)
                                                         : composed_sit(trunk, state, modulation);
}

}  // namespace cvf::kernels

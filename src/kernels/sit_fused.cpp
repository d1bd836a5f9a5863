// The fused token stream as a network that evaluate_fused can put into the autograd graph.
#include <algorithm>

#include "kernels/layer_hook.hpp"
#include "kernels/sit_engine.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

SitTrunk with_weights(const SitTrunk& shape, const std::vector<Tensor>& weights) {
  SitTrunk out = shape;
  std::size_t next = 0;
  const auto take = [&](Linear& l) {
    l.weight = weights[next++];
    l.bias = weights[next++];
  };
  take(out.patch);
  for (auto& b : out.blocks) {
    for (Linear* l : {&b.qkv, &b.project, &b.expand, &b.contract}) take(*l);
  }
  take(out.output);
  return out;
}

class FusedSit : public FusedNetwork {
 public:
  FusedSit(const SitTrunk& trunk, std::shared_ptr<const PackedWeights> packed)
      : shape_{trunk.size, {}, trunk.positions, std::vector<SitBlock>(trunk.blocks.size()), {}, {}},
        packed_(std::move(packed)) {}

  Tensor forward(const Tensor& state, const Tensor& modulation, Kept* kept) const override {
    return run_forward(*packed_, state, modulation, kept);
  }
  Gradients backward(const std::vector<Tensor>& weights, const Tensor& state, const Tensor& modulation,
                     const Kept& kept, const Tensor& velocity_gradient, const Wanted& wanted) const override {
    return run_backward(*packed_, weights, state, modulation, kept, velocity_gradient, wanted);
  }
  Tensor composed(const Tensor& state, const Tensor& modulation,
                  const std::vector<Tensor>& weights) const override {
    return composed_sit(with_weights(shape_, weights), state, modulation);
  }

 private:
  SitTrunk shape_;  // without weights
  std::shared_ptr<const PackedWeights> packed_;
};

}  // namespace

std::vector<Tensor> flat_weights(const SitTrunk& trunk) {
  std::vector<Tensor> out{trunk.patch.weight, trunk.patch.bias};
  for (const auto& b : trunk.blocks) {
    for (const Linear* l : {&b.qkv, &b.project, &b.expand, &b.contract}) {
      out.push_back(l->weight);
      out.push_back(l->bias);
    }
  }
  out.push_back(trunk.output.weight);
  out.push_back(trunk.output.bias);
  return out;
}

Tensor fused_sit(const SitTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const auto weights = flat_weights(trunk);
  return evaluate_fused(std::make_shared<FusedSit>(trunk, trunk.cache->get(trunk, weights)), state,
                        modulation, weights);
}

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

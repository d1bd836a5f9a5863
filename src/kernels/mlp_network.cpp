// The network for vector states, composed of library operations and fused: weights packed once for each
// version of them, rows in turns over threads.
#include <omp.h>

#include <algorithm>
#include <mutex>

#include "kernels/batch.hpp"
#include "kernels/cpu_choice.hpp"
#include "kernels/forward.hpp"
#include "kernels/fused.hpp"
#include "kernels/layer_hook.hpp"
#include "kernels/mlp.hpp"
#include "kernels/mlp_plan.hpp"

namespace cvf::kernels {

using torch::Tensor;

struct PackedMlp {
  PackedMlp(std::shared_ptr<const MlpLayout> laid_out, const std::vector<Tensor>& weights)
      : layout(std::move(laid_out)),
        stamps(weights),
        packed(make_buffer(static_cast<std::size_t>(layout->plan().weight_floats))),
        transposed(make_buffer(static_cast<std::size_t>(layout->plan().transposed_floats))) {
    pack_mlp(*layout, layer_values(weights), packed.get(), transposed.get());
  }

  std::shared_ptr<const MlpLayout> layout;
  WeightStamps stamps;
  Buffer packed, transposed;
};

namespace {

class FusedMlp : public FusedNetwork {
 public:
  FusedMlp(const MlpTrunk& trunk, std::shared_ptr<const PackedMlp> packed)
      : shape_{trunk.size, {}, std::vector<MlpBlock>(trunk.blocks.size()), {}, {}},
        packed_(std::move(packed)) {}

  Tensor forward(const Tensor& state, const Tensor& modulation, Kept* kept) const override {
    const auto& plan = packed_->layout->plan();
    if (kept != nullptr) *kept = make_kept(mlp_turns(state.size(0)), plan.kept_turn, plan.kept_turn);
    Tensor out = torch::empty_like(state);
    forward_mlp(plan, packed_->packed.get(),
                {state.size(0), state.data_ptr<float>(), modulation.data_ptr<float>(), out.data_ptr<float>(),
                 kept != nullptr ? kept->values.data_ptr<float>() : nullptr},
                modulation.size(0) == 1, omp_get_max_threads());
    return out;
  }

  Gradients backward(const std::vector<Tensor>& weights, const Tensor& state, const Tensor& modulation,
                     const Kept& kept, const Tensor& velocity_gradient, const Wanted& wanted) const override;

  Tensor composed(const Tensor& state, const Tensor& modulation,
                  const std::vector<Tensor>& weights) const override {
    MlpTrunk trunk = shape_;
    std::size_t next = 0;
    const auto take = [&](Linear& l) {
      l.weight = weights[next++];
      l.bias = weights[next++];
    };
    take(trunk.input);
    for (auto& b : trunk.blocks) {
      take(b.expand);
      take(b.contract);
    }
    take(trunk.output);
    return composed_mlp(trunk, state, modulation);
  }

 private:
  std::vector<Tensor> unpacked(const float* sum, const std::vector<Tensor>& weights,
                               const Wanted& wanted) const;

  MlpTrunk shape_;  // without weights
  std::shared_ptr<const PackedMlp> packed_;
};

std::vector<Tensor> FusedMlp::unpacked(const float* sum, const std::vector<Tensor>& weights,
                                       const Wanted& wanted) const {
  std::vector<Tensor> out(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (wanted.weights[i]) out[i] = torch::empty_like(weights[i]);
  }
  const auto plans = packed_->layout->layers();
  const auto places = layer_places(out);
  for (std::size_t i = 0; i < plans.size(); ++i) unpack_layer(plans[i], sum, places[i]);
  return out;
}

Gradients FusedMlp::backward(const std::vector<Tensor>& weights, const Tensor& state,
                             const Tensor& modulation, const Kept& kept, const Tensor& velocity_gradient,
                             const Wanted& wanted) const {
  const auto& plan = packed_->layout->plan();
  const auto& kernels = cpu_kernels();
  const long rows = state.size(0), turns = mlp_turns(rows);
  const bool one_modulation = modulation.size(0) == 1, weighs = wanted.any_weight();
  const int threads = thread_count(turns);
  const Workspaces workspaces(0, kernels.mlp_scratch(plan, true), threads);
  const auto floats = static_cast<std::size_t>(plan.weight_floats);
  auto groups =
      shrinking_groups(turns, threads, std::max(threads, group_room(threads, floats * sizeof(float))));
  for (long t = groups.back().end; t < turns; ++t) groups.push_back({t, t + 1});  // there are no teams
  const Buffer gradients = make_buffer(weighs ? floats * groups.size() : 0);
  const auto sum_of = [&](std::size_t group) { return gradients.get() + floats * group; };

  Gradients out;
  if (wanted.state) out.state = torch::empty_like(state);
  // Where one row serves all, each turn has a sum of its own.
  if (wanted.modulation) out.modulation = torch::empty({one_modulation ? turns : rows, modulation.size(1)});
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  const float *dv = velocity_gradient.data_ptr<float>(), *keep = kept.values.data_ptr<float>();
  float* ds = wanted.state ? out.state.data_ptr<float>() : nullptr;
  float* dm = wanted.modulation ? out.modulation.data_ptr<float>() : nullptr;
  const long values = modulation.size(1), step = one_modulation ? 0 : values;
  for_samples(turns, groups, threads, workspaces, [&](const Turn& turn) {
    const long begin = turn.sample * cpu::mlp_rows, end = std::min(rows, begin + cpu::mlp_rows);
    kernels.mlp_backward({&plan,
                          {packed_->packed.get(), packed_->transposed.get()},
                          static_cast<int>(end - begin),
                          s + begin * plan.channels,
                          m + begin * step,
                          step,
                          dv + begin * plan.channels,
                          keep + turn.sample * plan.kept_turn,
                          weighs ? sum_of(turn.group) : nullptr,
                          turn.first,
                          dm != nullptr ? dm + (one_modulation ? turn.sample : begin) * values : nullptr,
                          ds != nullptr ? ds + begin * plan.channels : nullptr,
                          workspaces.own_of(turn.thread)});
  });
  if (wanted.modulation && one_modulation && turns > 1) out.modulation = out.modulation.sum(0, true);
  out.weights.resize(weights.size());
  if (weighs) {
    for (std::size_t g = 1; g < groups.size(); ++g)
      kernels.add(sum_of(g), static_cast<long>(floats), sum_of(0));
    out.weights = unpacked(sum_of(0), weights, wanted);
  }
  return out;
}

bool fused_applies(const MlpTrunk& trunk, Engine engine, const Tensor& state, const Tensor& modulation) {
  if (engine != Engine::automatic || trunk.cache == nullptr) return false;
  if (LayerHook::active()) return false;  // layers can be looked at in the composed operations only
  if (state.numel() == 0 || !is_plain_float(state) || !is_plain_float(modulation)) return false;
  const auto weights = flat_weights(trunk);
  return std::all_of(weights.begin(), weights.end(), is_dense_float);
}

}  // namespace

/// The last packing.
class MlpCache {
 public:
  std::shared_ptr<const PackedMlp> get(const MlpTrunk& trunk, const std::vector<Tensor>& weights) {
    const std::lock_guard lock(mutex_);
    if (packed_ == nullptr || !packed_->stamps.are_of(weights)) {
      auto layout = packed_ == nullptr ? std::make_shared<const MlpLayout>(trunk.size) : packed_->layout;
      packed_ = std::make_shared<const PackedMlp>(std::move(layout), weights);
    }
    return packed_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const PackedMlp> packed_;
};

std::shared_ptr<MlpCache> make_mlp_cache() {
  return std::make_shared<MlpCache>();
}

std::vector<Tensor> flat_weights(const MlpTrunk& trunk) {
  std::vector<Tensor> out{trunk.input.weight, trunk.input.bias};
  for (const auto& b : trunk.blocks)
    out.insert(out.end(), {b.expand.weight, b.expand.bias, b.contract.weight, b.contract.bias});
  out.insert(out.end(), {trunk.output.weight, trunk.output.bias});
  return out;
}

Tensor composed_mlp(const MlpTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const auto parts = modulation.split(trunk.size.dim, 1);
  const auto linear_of = [](const Tensor& x, const Linear& l) { return at::linear(x, l.weight, l.bias); };
  Tensor x = hooked("input", linear_of(state, trunk.input));
  for (std::size_t i = 0; i < trunk.blocks.size(); ++i) {
    const Tensor* m = &parts[3 * i];  // shift, scale, gate
    const Tensor hidden = at::gelu(linear_of(modulated_norm(x, m[0], m[1]), trunk.blocks[i].expand), "tanh");
    x = hooked("blocks", i, x + m[2] * linear_of(hidden, trunk.blocks[i].contract));
  }
  const Tensor* m = &parts[3 * trunk.blocks.size()];
  return hooked("output", linear_of(modulated_norm(x, m[0], m[1]), trunk.output));
}

Tensor fused_mlp(const MlpTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const auto weights = flat_weights(trunk);
  return evaluate_fused(std::make_shared<FusedMlp>(trunk, trunk.cache->get(trunk, weights)), state,
                        modulation, weights);
}

Tensor evaluate(const MlpTrunk& trunk, Engine engine, const Tensor& state, const Tensor& modulation) {
  return fused_applies(trunk, engine, state, modulation) ? fused_mlp(trunk, state, modulation)
                                                         : composed_mlp(trunk, state, modulation);
}

}  // namespace cvf::kernels

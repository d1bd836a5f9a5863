// The fused convolution field: weights packed once for each version of them, batches over threads.
#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/batch.hpp"
#include "kernels/conv.hpp"
#include "kernels/conv_plan.hpp"
#include "kernels/cpu_choice.hpp"
#include "kernels/forward.hpp"
#include "kernels/fused.hpp"
#include "kernels/layer_hook.hpp"

namespace cvf::kernels {

using torch::Tensor;

/// The place of a weight does not depend on the grid, so one packing serves all of them.
class PackedConv {
 public:
  PackedConv(const cpu::ConvPlan& plan, const std::vector<Tensor>& weights) : stamps(weights) {
    packed = make_buffer(static_cast<std::size_t>(plan.weight_floats));
    transposed = make_buffer(static_cast<std::size_t>(plan.transposed_floats));
    pack_conv(plan, layer_values(weights), packed.get(), transposed.get());
  }

  WeightStamps stamps;
  Buffer packed, transposed;
};

namespace {

std::vector<Tensor> unpack_conv_gradients(const cpu::ConvPlan& plan, const float* sum, const Wanted& wanted,
                                          const std::vector<Tensor>& weights) {
  std::vector<Tensor> out(weights.size());
  for (std::size_t n = 0; n < weights.size(); ++n) {
    if (wanted.weights[n]) out[n] = torch::empty_like(weights[n]);
  }
  unpack_conv(plan, sum, layer_places(out));
  return out;
}

class FusedConv : public FusedNetwork {
 public:
  FusedConv(const ConvTrunk& trunk, std::shared_ptr<const ConvLayout> layout,
            std::shared_ptr<const PackedConv> packed)
      : shape_{trunk.size, {}, std::vector<ConvBlock>(trunk.blocks.size()), {}, {}},
        layout_(std::move(layout)),
        packed_(std::move(packed)) {}

  Tensor forward(const Tensor& state, const Tensor& modulation, Kept* kept) const override;
  Gradients backward(const std::vector<Tensor>& weights, const Tensor& state, const Tensor& modulation,
                     const Kept& kept, const Tensor& velocity_gradient, const Wanted& wanted) const override;
  Tensor composed(const Tensor& state, const Tensor& modulation,
                  const std::vector<Tensor>& weights) const override;

 private:
  ConvTrunk shape_;  // without weights
  std::shared_ptr<const ConvLayout> layout_;
  std::shared_ptr<const PackedConv> packed_;
};

Tensor FusedConv::forward(const Tensor& state, const Tensor& modulation, Kept* kept) const {
  const auto& plan = layout_->plan();
  const cpu::ConvKeepPlan keep_plan = layout_->keep();
  if (kept != nullptr) *kept = make_kept(state.size(0), keep_plan.sample, keep_plan.sample);
  Tensor out = torch::empty_like(state);
  forward_conv(plan, packed_->packed.get(),
               {state.size(0), state.data_ptr<float>(), modulation.data_ptr<float>(), out.data_ptr<float>(),
                kept != nullptr ? kept->values.data_ptr<float>() : nullptr},
               kept != nullptr ? &keep_plan : nullptr, thread_count(plan.cells));
  return out;
}

Gradients FusedConv::backward(const std::vector<Tensor>& weights, const Tensor& state,
                              const Tensor& modulation, const Kept& kept, const Tensor& velocity_gradient,
                              const Wanted& wanted) const {
  const auto& plan = layout_->plan();
  const auto& kernels = cpu_kernels();
  const cpu::ConvKeepPlan keep_plan = layout_->keep();
  const long batch = state.size(0);
  const int threads = thread_count(batch);
  const Workspaces workspaces(0, kernels.conv_backward_scratch(plan), threads);
  Gradients out;
  if (wanted.state) out.state = torch::empty_like(state);
  if (wanted.modulation) out.modulation = torch::empty_like(modulation);
  const bool weighs = wanted.any_weight();
  const auto floats = static_cast<std::size_t>(plan.weight_floats);
  auto groups =
      shrinking_groups(batch, threads, std::max(threads, group_room(threads, floats * sizeof(float))));
  for (long s = groups.back().end; s < batch; ++s) groups.push_back({s, s + 1});  // backward has no teams
  const Buffer gradients = make_buffer(weighs ? floats * groups.size() : 0);
  const auto sum_of = [&](std::size_t group) { return gradients.get() + floats * group; };

  const long values = state.numel() / batch, modulation_values = modulation.size(1);
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  const float *dv = velocity_gradient.data_ptr<float>(), *keep = kept.values.data_ptr<float>();
  float* ds = wanted.state ? out.state.data_ptr<float>() : nullptr;
  float* dm = wanted.modulation ? out.modulation.data_ptr<float>() : nullptr;
  for_samples(batch, groups, threads, workspaces, [&](const Turn& turn) {
    const long i = turn.sample;
    kernels.conv_backward({&plan,
                           {packed_->packed.get(), packed_->transposed.get()},
                           s + i * values,
                           m + i * modulation_values,
                           dv + i * values,
                           keep + i * keep_plan.sample,
                           &keep_plan,
                           weighs ? sum_of(turn.group) : nullptr,
                           turn.first,
                           dm != nullptr ? dm + i * modulation_values : nullptr,
                           ds != nullptr ? ds + i * values : nullptr,
                           workspaces.own_of(turn.thread)});
  });
  out.weights.resize(weights.size());
  if (weighs) {
    for (std::size_t g = 1; g < groups.size(); ++g)
      kernels.add(sum_of(g), static_cast<long>(floats), sum_of(0));
    out.weights = unpack_conv_gradients(plan, sum_of(0), wanted, weights);
  }
  return out;
}

Tensor FusedConv::composed(const Tensor& state, const Tensor& modulation,
                           const std::vector<Tensor>& weights) const {
  ConvTrunk trunk = shape_;
  std::size_t next = 0;
  const auto take = [&](Linear& l) {
    l.weight = weights[next++];
    l.bias = weights[next++];
  };
  take(trunk.lift);
  for (auto& b : trunk.blocks) {
    take(b.spatial);
    take(b.mix);
  }
  take(trunk.output);
  return composed_conv(trunk, state, modulation);
}

}  // namespace

/// The last packing, and the layouts of the last grids.
class ConvCache {
 public:
  std::shared_ptr<const FusedNetwork> get(const ConvTrunk& trunk, std::int64_t height, std::int64_t width,
                                          const std::vector<Tensor>& weights) {
    const std::lock_guard lock(mutex_);
    if (layouts_.size() > 8 && !layouts_.contains({height, width})) layouts_.clear();
    auto& layout = layouts_[{height, width}];
    if (layout == nullptr) layout = std::make_shared<const ConvLayout>(trunk.size, height, width);
    if (packed_ == nullptr || !packed_->stamps.are_of(weights)) {
      packed_.reset();  // before the next one is made: two packings would double the memory
      packed_ = std::make_shared<const PackedConv>(layout->plan(), weights);
    }
    return std::make_shared<FusedConv>(trunk, layout, packed_);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::shared_ptr<const ConvLayout>> layouts_;
  std::shared_ptr<const PackedConv> packed_;
};

std::int64_t comfortable_rows(const ConvSize& size, std::int64_t height, std::int64_t width,
                              double evaluations) {
  return comfortable_rows(ConvLayout(size, height, width).keep().sample, evaluations);
}

std::shared_ptr<ConvCache> make_conv_cache() {
  return std::make_shared<ConvCache>();
}

std::vector<Tensor> flat_weights(const ConvTrunk& trunk) {
  std::vector<Tensor> out{trunk.lift.weight, trunk.lift.bias};
  for (const auto& b : trunk.blocks) {
    for (const Linear* l : {&b.spatial, &b.mix}) {
      out.push_back(l->weight);
      out.push_back(l->bias);
    }
  }
  out.push_back(trunk.output.weight);
  out.push_back(trunk.output.bias);
  return out;
}

bool fused_applies(const ConvTrunk& trunk, Engine engine, const Tensor& state, const Tensor& modulation) {
  if (engine != Engine::automatic || trunk.cache == nullptr || trunk.blocks.size() > cpu::most_blocks)
    return false;
  if (LayerHook::active()) return false;  // layers can be looked at in the composed operations only
  if (state.numel() == 0 || !is_plain_float(state) || !is_plain_float(modulation)) return false;
  const auto weights = flat_weights(trunk);
  return std::all_of(weights.begin(), weights.end(), is_dense_float);
}

Tensor fused_conv(const ConvTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const auto weights = flat_weights(trunk);
  return evaluate_fused(trunk.cache->get(trunk, state.size(2), state.size(3), weights), state, modulation,
                        weights);
}

Tensor evaluate(const ConvTrunk& trunk, Engine engine, const Tensor& state, const Tensor& modulation) {
  return fused_applies(trunk, engine, state, modulation) ? fused_conv(trunk, state, modulation)
                                                         : composed_conv(trunk, state, modulation);
}

}  // namespace cvf::kernels

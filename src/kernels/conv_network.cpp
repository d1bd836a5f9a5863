// The fused convolution field: weights packed once for each version of them, batches over threads.
#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/conv_plan.hpp"
#include "kernels/cpu_choice.hpp"
#include "kernels/fused.hpp"
#include "kernels/layer_hook.hpp"
#include "kernels/memory.hpp"

namespace cvf::kernels {
namespace {

using cpu::panel;
using torch::Tensor;

/// visit(place in the tensor, row of the packed matrix (in), its column (out)) for every weight of a layer
template <class Visit>
void for_weights(const TapLayer& l, const Visit& visit) {
  long at = 0;
  for (int o = 0; o < l.out; ++o) {
    for (int i = 0; i < l.in; ++i) {
      for (int t = 0; t < l.taps; ++t, ++at) {
        if (l.taps_on_out_side) {
          visit(at, i, t * l.out + o);
        } else {
          visit(at, t * l.in_padded + i, o);
        }
      }
    }
  }
}

long packed_place(const cpu::LinearPlan& l, int in, int out) {
  return l.weight + (static_cast<long>(out / panel) * l.in_panels * panel + in) * panel + out % panel;
}
long transposed_place(const cpu::LinearPlan& l, int in, int out) {
  return l.transposed + (static_cast<long>(in / panel) * l.out_panels * panel + out) * panel + in % panel;
}

}  // namespace

/// The place of a weight does not depend on the grid, so one packing serves all of them.
class PackedConv {
 public:
  PackedConv(const cpu::ConvPlan& plan, const std::vector<Tensor>& weights) : stamps(weights) {
    const auto layers = tap_layers(plan);
    packed = zeros(plan.weight_floats);
    transposed = zeros(plan.transposed_floats);
    for (std::size_t n = 0; n < layers.size(); ++n) {
      const auto& l = layers[n];
      const float *w = weights[2 * n].data_ptr<float>(), *bias = weights[2 * n + 1].data_ptr<float>();
      for_weights(l, [&](long at, int in, int out) {
        packed[static_cast<std::size_t>(packed_place(l.plan, in, out))] = w[at];
        transposed[static_cast<std::size_t>(transposed_place(l.plan, in, out))] = w[at];
      });
      std::copy_n(bias, l.out, packed.get() + l.plan.bias);
    }
  }

  WeightStamps stamps;
  Buffer packed, transposed;

 private:
  static Buffer zeros(long floats) {
    Buffer out = make_buffer(static_cast<std::size_t>(floats));
    std::fill_n(out.get(), floats, 0.0f);
    return out;
  }
};

namespace {

std::vector<Tensor> unpack_conv_gradients(const cpu::ConvPlan& plan, const float* sum, const Wanted& wanted,
                                          const std::vector<Tensor>& weights) {
  const auto layers = tap_layers(plan);
  std::vector<Tensor> out(weights.size());
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const auto& l = layers[n];
    if (wanted.weights[2 * n]) {
      out[2 * n] = torch::empty_like(weights[2 * n]);
      float* to = out[2 * n].data_ptr<float>();
      for_weights(l, [&](long at, int in, int o) { to[at] = sum[packed_place(l.plan, in, o)]; });
    }
    if (wanted.weights[2 * n + 1]) {
      out[2 * n + 1] = torch::empty({l.out});
      std::copy_n(sum + l.plan.bias, l.out, out[2 * n + 1].data_ptr<float>());
    }
  }
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
  const auto& kernels = cpu_kernels();
  const int threads = thread_count(plan.cells);
  const Workspaces workspaces(kernels.conv_shared(plan), kernels.conv_scratch(plan), threads);
  const long values = state.numel() / state.size(0), modulation_values = modulation.size(1);
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  float *velocity = out.data_ptr<float>(), *keep = kept != nullptr ? kept->values.data_ptr<float>() : nullptr;
  for_samples(
      state.size(0), single_samples(state.size(0), threads), threads, workspaces, [&](const Turn& turn) {
        const long i = turn.sample;
        kernels.conv_forward(turn.team,
                             {&plan, packed_->packed.get(), s + i * values, m + i * modulation_values,
                              velocity + i * values, keep != nullptr ? keep + i * keep_plan.sample : nullptr,
                              &keep_plan, turn.shared, workspaces.own_of(turn.thread)});
      });
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

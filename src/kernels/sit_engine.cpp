#include "kernels/sit_engine.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "kernels/cpu_choice.hpp"
#include "kernels/forward.hpp"

namespace cvf::kernels {
namespace {

std::atomic<bool> counts_parts{false};
std::mutex parts_mutex;
PartSeconds parts_so_far{};

struct PartClocks {  // one for each thread; on a cache line of its own
  explicit PartClocks(int threads) : counting(counts_parts), lines(counting ? threads : 0) {}
  ~PartClocks() {
    const std::lock_guard lock(parts_mutex);
    for (const auto& line : lines) {
      for (std::size_t i = 0; i < parts_so_far.size(); ++i) parts_so_far[i] += line.seconds[i];
    }
  }
  double* of(int thread) { return counting ? lines[static_cast<std::size_t>(thread)].seconds : nullptr; }

  struct alignas(64) Line {
    double seconds[cpu::part_count] = {};
  };
  bool counting;
  std::vector<Line> lines;
};

}  // namespace

std::int64_t comfortable_rows(const SitSize& size, double evaluations) {
  return comfortable_rows(make_keep_plan(make_plan(size), true).sample, evaluations);
}

PartSeconds take_part_seconds() {
  const std::lock_guard lock(parts_mutex);
  counts_parts = true;
  return std::exchange(parts_so_far, {});
}

void stop_part_seconds() {
  counts_parts = false;
}

torch::Tensor run_forward(const PackedWeights& packed, const torch::Tensor& state,
                          const torch::Tensor& modulation, Kept* kept) {
  const auto& plan = packed.plan();
  cpu::KeepPlan keep_plan{};
  if (kept != nullptr) {
    *kept = make_kept(state.size(0), make_keep_plan(plan, true).sample, make_keep_plan(plan, false).sample);
    keep_plan = make_keep_plan(plan, kept->hidden);
  }
  torch::Tensor out = torch::empty_like(state);
  const int threads = thread_count(plan.tokens);
  PartClocks clocks(threads);
  forward_sit(plan, packed.weights(),
              {state.size(0), state.data_ptr<float>(), modulation.data_ptr<float>(), out.data_ptr<float>(),
               kept != nullptr ? kept->values.data_ptr<float>() : nullptr},
              kept != nullptr ? &keep_plan : nullptr, threads, [&](int thread) { return clocks.of(thread); });
  return out;
}

Gradients run_backward(const PackedWeights& packed, const std::vector<torch::Tensor>& weights,
                       const torch::Tensor& state, const torch::Tensor& modulation, const Kept& kept,
                       const torch::Tensor& velocity_gradient, const Wanted& wanted) {
  const auto& plan = packed.plan();
  const int threads = thread_count(plan.tokens);
  const auto& kernels = cpu_kernels();
  const Workspaces workspaces(kernels.shared_floats(plan, true), kernels.scratch_floats(plan, true), threads);
  const cpu::KeepPlan keep_plan = make_keep_plan(plan, kept.hidden);
  Gradients out;
  if (wanted.state) out.state = torch::empty_like(state);
  if (wanted.modulation) out.modulation = torch::empty_like(modulation);
  const bool weighs = wanted.any_weight();
  const auto floats =
      static_cast<std::size_t>(plan.positions);  // the weights without the positions behind them
  const int workspace = group_room(threads, floats * sizeof(float));
  const auto groups = !weighs         ? single_samples(state.size(0), threads)
                      : workspace > 0 ? shrinking_groups(state.size(0), threads, workspace)
                                      : std::vector<SampleGroup>{};
  const std::size_t sums = weighs ? std::max<std::size_t>(1, groups.size()) : 0;
  // As large for every batch, so that calls of different sizes find each other's buffer.
  const Buffer gradients =
      make_buffer(weighs ? floats * static_cast<std::size_t>(std::max(1, workspace)) : 0);
  const auto sum_of = [&](std::size_t group) { return gradients.get() + floats * group; };

  const long values = state.numel() / state.size(0), modulation_values = modulation.size(1);
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  const float *dv = velocity_gradient.data_ptr<float>(), *keep = kept.values.data_ptr<float>();
  float* ds = wanted.state ? out.state.data_ptr<float>() : nullptr;
  float* dm = wanted.modulation ? out.modulation.data_ptr<float>() : nullptr;
  const cpu::Packed sides{packed.weights(), packed.transposed(weights)};
  PartClocks clocks(threads);
  for_samples(state.size(0), groups, threads, workspaces, [&](const Turn& turn) {
    const long i = turn.sample;
    kernels.backward(
        turn.team,
        {&plan, sides, s + i * values, m + i * modulation_values, dv + i * values,
         keep + i * keep_plan.sample, &keep_plan, weighs ? sum_of(turn.group) : nullptr, turn.first,
         dm != nullptr ? dm + i * modulation_values : nullptr, ds != nullptr ? ds + i * values : nullptr,
         turn.shared, workspaces.own_of(turn.thread), clocks.of(turn.thread)});
  });
  if (weighs) {
    std::vector<const float*> parts;
    for (std::size_t group = 0; group < sums; ++group) parts.push_back(sum_of(group));
    out.weights = unpack_gradients(plan, parts, wanted.weights);
  } else {
    out.weights.resize(wanted.weights.size());
  }
  return out;
}

}  // namespace cvf::kernels

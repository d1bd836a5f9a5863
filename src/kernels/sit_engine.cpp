#include "kernels/sit_engine.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "kernels/cpu_choice.hpp"
#include "kernels/sample_groups.hpp"

namespace cvf::kernels {
namespace {

std::size_t activation_budget = 288u << 20;
std::atomic<std::size_t> bytes_kept{0};

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

// Each group of samples has its own sum of weight gradients; where this is not enough for one group a thread,
// there is one sum and all threads work on each sample together.
constexpr std::size_t most_gradient_bytes = 64u << 20;

struct Rooms {  // scratch for `threads` threads
  Rooms(const cpu::Plan& plan, bool backward, int threads)
      : shared(cpu_kernels().shared_floats(plan, backward)),
        own(cpu_kernels().scratch_floats(plan, backward)),
        memory(make_buffer(static_cast<std::size_t>((shared + own) * threads))) {}
  float* shared_of(int thread) const { return memory.get() + (shared + own) * thread; }
  float* own_of(int thread) const { return shared_of(thread) + shared; }

  long shared, own;
  Buffer memory;
};

/// One sample's turn in a pass.
struct Turn {
  cpu::Team team;
  int thread;
  long sample;
  std::size_t group;  // 0 for samples that all threads share
  bool first;         // of its group
  float* shared;      // scratch of the team
};

/// Each thread takes the next group when it is free, so that one on a slow core takes fewer; then all share
/// the samples behind the groups, one after the other.
template <class Work>
void for_samples(long batch, const std::vector<SampleGroup>& groups, int threads, const Rooms& rooms,
                 const Work& work) {
  int barrier[2] = {0, 0};
  std::atomic<std::size_t> next{0};
  const long alone = groups.empty() ? 0 : groups.back().end;
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const int team = omp_get_num_threads();  // fewer than asked for inside another parallel region
    for (std::size_t g = next++; g < groups.size(); g = next++) {
      for (long s = groups[g].begin; s < groups[g].end; ++s)
        work(Turn{{0, 1, nullptr}, t, s, g, s == groups[g].begin, rooms.shared_of(t)});
    }
    for (long s = alone; s < batch; ++s) {
#pragma omp barrier
      work(Turn{{t, team, barrier}, t, s, 0, s == 0, rooms.shared_of(0)});
    }
  }
}

int thread_count(const cpu::Plan& plan) {  // no more than can share the rows of a sample
  return std::max(1, std::min({omp_get_max_threads(), 256, plan.tokens}));
}

/// Groups that may have sums of their own; 0: not even one a thread.
int group_room(int threads, std::size_t bytes_of_a_sum) {
  const auto most = static_cast<int>(std::min<std::size_t>(most_gradient_bytes / bytes_of_a_sum, 1 << 20));
  return most < threads ? 0 : std::min(most, group_limit(threads));
}

torch::Tensor activation_tensor(std::size_t floats) {
  Buffer buffer = make_buffer(floats);
  const std::size_t bytes = buffer.get_deleter().bytes;
  bytes_kept += bytes;
  return torch::from_blob(buffer.release(), {static_cast<std::int64_t>(floats)}, [bytes](void* p) {
    bytes_kept -= bytes;
    FreeBuffer{bytes}(static_cast<float*>(p));
  });
}

Kept make_kept(const cpu::Plan& plan, std::size_t batch) {
  Kept out{make_keep_plan(plan, true), {}};
  const std::size_t bytes = static_cast<std::size_t>(out.keep.sample) * batch * sizeof(float);
  if (bytes_kept + bytes > activation_budget) out.keep = make_keep_plan(plan, false);
  out.values = activation_tensor(static_cast<std::size_t>(out.keep.sample) * batch);
  return out;
}

}  // namespace

std::size_t activation_budget_bytes() {
  return activation_budget;
}

std::int64_t comfortable_rows(const SitSize& size, double evaluations) {
  const double sample = sizeof(float) * static_cast<double>(make_keep_plan(make_plan(size), true).sample);
  const double usable =
      0.95 * static_cast<double>(activation_budget);  // buffers are rounded up to whole pages
  const std::int64_t threads = omp_get_max_threads();
  const auto rows = static_cast<std::int64_t>(usable / (sample * evaluations));
  return std::max(threads, rows / threads * threads);
}

PartSeconds take_part_seconds() {
  const std::lock_guard lock(parts_mutex);
  counts_parts = true;
  return std::exchange(parts_so_far, {});
}

void stop_part_seconds() {
  counts_parts = false;
}

void set_activation_budget(std::size_t bytes) {
  activation_budget = bytes;
}

torch::Tensor run_forward(const PackedWeights& packed, const torch::Tensor& state,
                          const torch::Tensor& modulation, Kept* kept) {
  const auto& plan = packed.plan();
  if (kept != nullptr) *kept = make_kept(plan, static_cast<std::size_t>(state.size(0)));
  torch::Tensor out = torch::empty_like(state);
  const int threads = thread_count(plan);
  const Rooms rooms(plan, false, threads);
  const long values = state.numel() / state.size(0), modulation_values = modulation.size(1);
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  float *velocity = out.data_ptr<float>(), *keep = kept != nullptr ? kept->values.data_ptr<float>() : nullptr;
  const auto& kernels = cpu_kernels();
  PartClocks clocks(threads);
  for_samples(state.size(0), single_samples(state.size(0), threads), threads, rooms, [&](const Turn& turn) {
    const long i = turn.sample;
    kernels.forward(turn.team, {&plan,
                                {packed.weights(), nullptr},
                                s + i * values,
                                m + i * modulation_values,
                                velocity + i * values,
                                keep != nullptr ? keep + i * kept->keep.sample : nullptr,
                                kept != nullptr ? &kept->keep : nullptr,
                                turn.shared,
                                rooms.own_of(turn.thread),
                                clocks.of(turn.thread)});
  });
  return out;
}

Gradients run_backward(const PackedWeights& packed, const std::vector<torch::Tensor>& weights,
                       const torch::Tensor& state, const torch::Tensor& modulation, const Kept& kept,
                       const torch::Tensor& velocity_gradient, const Wanted& wanted) {
  const auto& plan = packed.plan();
  const int threads = thread_count(plan);
  const Rooms rooms(plan, true, threads);
  Gradients out;
  if (wanted.state) out.state = torch::empty_like(state);
  if (wanted.modulation) out.modulation = torch::empty_like(modulation);
  const bool weighs = std::find(wanted.weights.begin(), wanted.weights.end(), true) != wanted.weights.end();
  const auto floats =
      static_cast<std::size_t>(plan.positions);  // the weights without the positions behind them
  const int room = group_room(threads, floats * sizeof(float));
  const auto groups = !weighs    ? single_samples(state.size(0), threads)
                      : room > 0 ? shrinking_groups(state.size(0), threads, room)
                                 : std::vector<SampleGroup>{};
  const std::size_t sums = weighs ? std::max<std::size_t>(1, groups.size()) : 0;
  // As large for every batch, so that calls of different sizes find each other's buffer.
  const Buffer gradients = make_buffer(weighs ? floats * static_cast<std::size_t>(std::max(1, room)) : 0);
  const auto sum_of = [&](std::size_t group) { return gradients.get() + floats * group; };

  const long values = state.numel() / state.size(0), modulation_values = modulation.size(1);
  const float *s = state.data_ptr<float>(), *m = modulation.data_ptr<float>();
  const float *dv = velocity_gradient.data_ptr<float>(), *keep = kept.values.data_ptr<float>();
  float* ds = wanted.state ? out.state.data_ptr<float>() : nullptr;
  float* dm = wanted.modulation ? out.modulation.data_ptr<float>() : nullptr;
  const cpu::Packed sides{packed.weights(), packed.transposed(weights)};
  const auto& kernels = cpu_kernels();
  PartClocks clocks(threads);
  for_samples(state.size(0), groups, threads, rooms, [&](const Turn& turn) {
    const long i = turn.sample;
    kernels.backward(
        turn.team,
        {&plan, sides, s + i * values, m + i * modulation_values, dv + i * values,
         keep + i * kept.keep.sample, &kept.keep, weighs ? sum_of(turn.group) : nullptr, turn.first,
         dm != nullptr ? dm + i * modulation_values : nullptr, ds != nullptr ? ds + i * values : nullptr,
         turn.shared, rooms.own_of(turn.thread), clocks.of(turn.thread)});
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

#include "kernels/forward.hpp"

#include <algorithm>

#include "kernels/cpu_choice.hpp"
#include "kernels/groups.hpp"

namespace cvf::kernels {

int threads_for(long parts_of_a_sample, long threads) {
  return static_cast<int>(std::max(1l, std::min({threads, 256l, parts_of_a_sample})));
}

void forward_sit(const cpu::Plan& plan, const float* weights, const Samples& samples,
                 const cpu::KeepPlan* keep, int threads, const std::function<double*(int)>& seconds_of) {
  const auto& kernels = cpu_kernels();
  const Workspaces workspaces(kernels.shared_floats(plan, false), kernels.scratch_floats(plan, false),
                              threads);
  const long values = static_cast<long>(plan.channels) * plan.height * plan.width;
  const long modulation = (6l * plan.depth + 2) * plan.dim;
  for_samples(samples.count, single_samples(samples.count, threads), threads, workspaces,
              [&](const Turn& turn) {
                const long i = turn.sample;
                kernels.forward(turn.team, {&plan,
                                            {weights, nullptr},
                                            samples.state + i * values,
                                            samples.modulation + i * modulation,
                                            samples.velocity + i * values,
                                            keep != nullptr ? samples.kept + i * keep->sample : nullptr,
                                            keep,
                                            turn.shared,
                                            workspaces.own_of(turn.thread),
                                            seconds_of ? seconds_of(turn.thread) : nullptr});
              });
}

void forward_conv(const cpu::ConvPlan& plan, const float* weights, const Samples& samples,
                  const cpu::ConvKeepPlan* keep, int threads) {
  const auto& kernels = cpu_kernels();
  const Workspaces workspaces(kernels.conv_shared(plan), kernels.conv_scratch(plan), threads);
  const long values = static_cast<long>(plan.channels) * plan.height * plan.width;
  const long modulation = 3l * plan.blocks * plan.dim;
  for_samples(
      samples.count, single_samples(samples.count, threads), threads, workspaces, [&](const Turn& turn) {
        const long i = turn.sample;
        kernels.conv_forward(turn.team, {&plan, weights, samples.state + i * values,
                                         samples.modulation + i * modulation, samples.velocity + i * values,
                                         keep != nullptr ? samples.kept + i * keep->sample : nullptr, keep,
                                         turn.shared, workspaces.own_of(turn.thread)});
      });
}

void forward_mlp(const cpu::MlpPlan& plan, const float* weights, const Samples& samples, bool one_modulation,
                 int threads) {
  const auto& kernels = cpu_kernels();
  const long turns = mlp_turns(samples.count);
  threads = threads_for(turns, threads);
  const Workspaces workspaces(0, kernels.mlp_scratch(plan, false), threads);
  const long step = one_modulation ? 0 : (3l * plan.blocks + 2) * plan.dim;
  for_samples(turns, single_samples(turns, 1), threads, workspaces, [&](const Turn& turn) {
    const long begin = turn.sample * cpu::mlp_rows, end = std::min(samples.count, begin + cpu::mlp_rows);
    kernels.mlp_forward({&plan, weights, static_cast<int>(end - begin), samples.state + begin * plan.channels,
                         samples.modulation + begin * step, step, samples.velocity + begin * plan.channels,
                         samples.kept != nullptr ? samples.kept + turn.sample * plan.kept_turn : nullptr,
                         workspaces.own_of(turn.thread)});
  });
}

}  // namespace cvf::kernels

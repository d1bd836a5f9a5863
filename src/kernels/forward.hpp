// The fused networks forward, over a batch in plain memory.
#pragma once

#include <functional>

#include "kernels/cpu/conv_plan.hpp"
#include "kernels/cpu/mlp_plan.hpp"
#include "kernels/cpu/plan.hpp"

namespace cvf::kernels {

struct Samples {
  long count;
  const float* state;       // [count,C,H,W]
  const float* modulation;  // [count, values of the network]
  float* velocity;          // [count,C,H,W]
  float* kept = nullptr;    // [count, floats of the plan to keep], when gradients will be asked
};

/// `seconds_of(thread)` is where a thread adds the seconds of each part; null: nobody asks.
void forward_sit(const cpu::Plan& plan, const float* weights, const Samples& samples,
                 const cpu::KeepPlan* keep, int threads,
                 const std::function<double*(int thread)>& seconds_of = {});

void forward_conv(const cpu::ConvPlan& plan, const float* weights, const Samples& samples,
                  const cpu::ConvKeepPlan* keep, int threads);

/// Of vectors [count,C]. `one_modulation`: one row of it serves all of them. `kept` has turns, not samples.
void forward_mlp(const cpu::MlpPlan& plan, const float* weights, const Samples& samples, bool one_modulation,
                 int threads);

/// How many turns a batch of vectors is taken in.
inline long mlp_turns(long rows) {
  return (rows + cpu::mlp_rows - 1) / cpu::mlp_rows;
}

/// No more threads than can share one sample.
int threads_for(long parts_of_a_sample, long threads);

}  // namespace cvf::kernels

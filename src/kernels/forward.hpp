// The fused networks forward, over a batch in plain memory.
#pragma once

#include <functional>

#include "kernels/cpu/conv_plan.hpp"
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

/// No more threads than can share one sample.
int threads_for(long parts_of_a_sample, long threads);

}  // namespace cvf::kernels

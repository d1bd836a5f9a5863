// The memory that CPU kernels work on: large buffers, and where a layer lies in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cpu/plan.hpp"

namespace cvf::kernels {

// Large arrays of floats on transparent huge pages, whose first touch costs a sixth of that of small pages.
// Freed ones are kept for the next caller: a training step asks for the same sizes again and again, and
// inside the general heap they would leave holes that double the memory.

struct FreeBuffer {
  std::size_t bytes = 0;
  void operator()(float* data) const;
};
using Buffer = std::unique_ptr<float[], FreeBuffer>;

Buffer make_buffer(std::size_t floats);

// Where a linear layer lies in packed buffers.

inline int panels(std::int64_t columns) {
  return static_cast<int>((columns + cpu::panel - 1) / cpu::panel);
}

/// Gives a matrix the next places in the plan's buffers.
template <class Plan>
cpu::LinearPlan place_matrix(std::int64_t in, std::int64_t out, Plan& plan) {
  cpu::LinearPlan l;
  l.in = static_cast<int>(in), l.out = static_cast<int>(out);
  l.in_panels = panels(in), l.out_panels = panels(out);
  const long floats = static_cast<long>(l.in_panels) * l.out_panels * cpu::panel * cpu::panel;
  l.weight = plan.weight_floats;
  l.bias = plan.weight_floats += floats;
  l.transposed = plan.transposed_floats;
  plan.transposed_floats += floats;
  return l;
}

/// Gives a layer, with its bias, the next places in the plan's buffers.
template <class Plan>
cpu::LinearPlan place(std::int64_t in, std::int64_t out, Plan& plan) {
  const cpu::LinearPlan l = place_matrix(in, out, plan);
  plan.weight_floats += static_cast<long>(l.out_panels) * cpu::panel;
  return l;
}

}  // namespace cvf::kernels

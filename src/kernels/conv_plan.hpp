// Where everything lies for a convolution field on one grid.
#pragma once

#include <deque>
#include <vector>

#include "kernels/cpu/conv_plan.hpp"
#include "kernels/sizes.hpp"

namespace cvf::kernels {

/// The kernels' plan and the tables that it points to.
class ConvLayout {
 public:
  ConvLayout(const ConvSize& size, std::int64_t height, std::int64_t width);
  ConvLayout(const ConvLayout&) = delete;
  ConvLayout& operator=(const ConvLayout&) = delete;

  const cpu::ConvPlan& plan() const { return plan_; }
  cpu::ConvKeepPlan keep() const;

 private:
  int* table(std::size_t entries);
  cpu::TapMap tap_map(const ConvSize& size, int dilation);

  cpu::ConvPlan plan_{};
  std::deque<std::vector<int>> tables_;
};

/// How a weight tensor [out,in,taps] lies in the packed matrix of its layer: an index of a side counts
/// tap * padded + channel when that side holds the taps, else the channel.
struct TapLayer {
  cpu::LinearPlan plan;
  int in, out, taps;
  int in_padded;          // between two taps of the in side
  bool taps_on_out_side;  // then a tap's outputs follow one another without padding
};

/// In the order of flat_weights.
std::vector<TapLayer> tap_layers(const cpu::ConvPlan& plan);

}  // namespace cvf::kernels

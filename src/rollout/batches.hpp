// Many solves in batches that fit into memory: legs with one target each, or whole passes through all
// targets.
#pragma once

#include "rollout/protocols.hpp"

namespace cvf::rollout {

/// One solve of one member of a sample (rollout/members.hpp: `sample` is its row), from a time to the time of
/// a frame.
struct Leg {
  std::size_t sample, frame;
  double from, to;

  std::int64_t row() const { return static_cast<std::int64_t>(sample); }
  std::int64_t column() const { return static_cast<std::int64_t>(frame); }
};

using StartOf = std::function<torch::Tensor(const Leg&)>;  // [C,...] in model units
using EndOf =
    std::function<void(const Leg&, const torch::Tensor&, Frame)>;  // the state is NaN if not reached

/// Solves every leg on its own and hands over its end.
void solve(const Setup& setup, const model::Contexts& contexts, const std::vector<Leg>& legs,
           const StartOf& start, const EndOf& end);

/// Takes each row through all its times in one solve. Frames get the counts and steps of their own
/// interval, a step that passes several of them being the first one's; `take` gets the state of each wanted
/// frame when it is reached.
using Take = std::function<void(std::size_t sample, std::size_t frame, const torch::Tensor& state)>;
void pass(const Setup& setup, const model::Contexts& contexts, const torch::Tensor& start, const Times& times,
          const Take& take, std::vector<std::vector<Frame>>& frames);

/// Turns the counts and steps of each frame's own interval into those from the given frame on.
void accumulate(std::vector<Frame>& frames);

}  // namespace cvf::rollout

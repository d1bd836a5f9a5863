// A model of several members: each is rolled out by itself, with steps of its own, as a row of a larger batch
// (member m of sample i is row i * members + m); the forecast is their mean, and beside it stands how far
// they are apart.
#pragma once

#include <map>

#include "rollout/protocols.hpp"

namespace cvf::rollout {

std::int64_t member_count(const Setup& setup);

/// A row for every member of each sample.
torch::Tensor for_members(const torch::Tensor& states, std::int64_t members);
Times for_members(const Times& times, std::int64_t members);

/// Mean and standard deviation (of a sample: over members - 1) over the axis of the members.
struct MeanAndSpread {
  torch::Tensor mean, spread;
};
MeanAndSpread over_members(const torch::Tensor& states, std::int64_t axis);

/// From a row for every member to one for every sample.
Forecast merged(Forecast rows, std::int64_t members);
std::vector<std::vector<Frame>> merged(std::vector<std::vector<Frame>> rows, std::int64_t members,
                                       std::vector<Forecast>* each = nullptr);

/// Holds the states [C,...] of a frame until the last member is there.
class Meeting {
 public:
  Meeting(std::int64_t members, FrameSink sink) : members_(members), sink_(std::move(sink)) {}
  void take(std::size_t row, std::size_t frame, const torch::Tensor& state);

 private:
  std::int64_t members_;
  FrameSink sink_;
  struct Waiting {
    std::vector<torch::Tensor> states;
    std::int64_t missing;
  };
  std::map<std::pair<std::size_t, std::size_t>, Waiting> waiting_;
};

}  // namespace cvf::rollout

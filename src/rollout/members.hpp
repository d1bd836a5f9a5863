// A model of several members: each is rolled out by itself, with steps of its own, as a row of a larger batch
// (member m of sample i is row i * members + m); the forecast is their mean, and beside it stands how far
// they are apart.
#pragma once

#include <map>

#include "rollout/protocols.hpp"

namespace cvf::rollout {

/// A row for every member of each sample.
Batch for_members(const Batch& states, std::size_t members);
Times for_members(const Times& times, std::size_t members);

/// From a row for every member to one for every sample.
Forecast merged(Forecast rows, std::size_t members);

/// Holds the states [C,...] of a frame until the last member is there.
class Meeting {
 public:
  Meeting(std::size_t members, FrameSink sink) : members_(members), sink_(std::move(sink)) {}
  void take(std::size_t row, std::size_t frame, const StateArray& state);

 private:
  std::size_t members_;
  FrameSink sink_;
  struct Waiting {
    std::vector<StateArray> states;
    std::size_t missing;
  };
  std::map<std::pair<std::size_t, std::size_t>, Waiting> waiting_;
};

}  // namespace cvf::rollout

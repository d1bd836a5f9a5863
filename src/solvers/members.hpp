// A model of several members: each is solved by itself, with steps of its own, as a row of a larger batch
// (member m of sample i is row i * members + m); what is told is their mean, and beside it how far they are
// apart.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "solvers/frames.hpp"
#include "solvers/states.hpp"

namespace cvf::solvers {

/// A row for every member of each state; the states themselves for one.
Batch for_members(const Batch& states, std::size_t members);

/// Mean and standard deviation (of a sample: over members - 1) of what several members say, value by value.
struct MeanAndSpread {
  Batch mean, spread;
};
MeanAndSpread over_members(Batches members);

/// What another member adds to the frames of a sample: its counts, and its status where that is worse. The
/// steps stay those of the first.
void add_member(std::vector<Frame>& all, const std::vector<Frame>& own);
/// From a row for every member to one for every sample, in the same sense.
Outcome merged(const Outcome& rows, std::size_t members);

/// Holds the states of a frame until the last member is there.
class Meeting {
 public:
  /// The spread of one member is null.
  using Sink =
      std::function<void(std::size_t sample, std::size_t frame, const Batch& mean, const Batch& spread)>;
  Meeting(std::size_t members, Sink sink) : members_(members), sink_(std::move(sink)) {}
  /// A single state, which is copied where it has to wait.
  void take(std::size_t row, std::size_t frame, const Batch& state);

 private:
  std::size_t members_;
  Sink sink_;
  struct Waiting {
    std::vector<Batch> states;
    std::size_t missing;
  };
  std::map<std::pair<std::size_t, std::size_t>, Waiting> waiting_;
};

}  // namespace cvf::solvers

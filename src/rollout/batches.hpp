// Many solves in batches that fit into memory: legs with one target each, or whole passes through all
// targets; and the members of a model as rows of such a batch.
#pragma once

#include <map>

#include "rollout/protocols.hpp"

namespace cvf::rollout {

/// One solve of one member of a sample (`row` is its row, see for_members), from a time to the time of
/// a frame.
struct Leg {
  std::size_t row, frame;
  double from, to;
};

/// Where each row is, in model units, and a place for every leg's start there.
struct Starts {
  const Batch& states;
  std::function<std::size_t(const Leg&)> place;
};
/// Gets the state at the end of a leg in model units (null: it was not reached) and in physical ones.
using EndOf = std::function<void(const Leg&, const solvers::States* states, std::size_t place,
                                 const StateArray& physical, Frame)>;

/// Solves every leg on its own and hands over its end. `like` are states as they should be given back.
void solve(const Prepared& model, const std::vector<Leg>& legs, const Starts& start, const StateArray& like,
           const EndOf& end);

/// Takes each row through all its times in one solve. Frames get the counts and steps of their own
/// interval, a step that passes several of them being the first one's; `take` gets the state of each wanted
/// frame, in model units, when it is reached.
using Take = std::function<void(std::size_t row, std::size_t frame, const Batch& state)>;
void pass(const Prepared& model, const Batch& start, const Times& times, const Take& take,
          std::vector<std::vector<Frame>>& frames);

/// Turns the counts and steps of each frame's own interval into those from the given frame on.
void accumulate(std::vector<Frame>& frames);

/// A row for every member of each sample: member m of sample i is row i * members + m, and goes its way with
/// steps of its own.
Batch for_members(const Batch& states, std::size_t members);
Times for_members(const Times& times, std::size_t members);

/// From a row for every member to one for every sample: the mean, and beside it how far they are apart.
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

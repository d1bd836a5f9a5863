#include "solvers/frames.hpp"

namespace cvf::solvers {
namespace {

Counts operator-(const Counts& a, const Counts& b) {
  return {a.evaluations - b.evaluations, a.accepted - b.accepted, a.rejected - b.rejected};
}

}  // namespace

std::vector<Frame> frames_of(const Outcome& outcome, std::size_t row, const std::vector<double>& targets,
                             bool backward) {
  std::vector<Frame> frames(targets.size() + 1);
  Counts before;
  auto step = outcome.steps[row].begin();
  const auto end = outcome.steps[row].end();
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const auto& mark = outcome.target_records[row][k];
    Frame& frame = frames[k + 1];
    frame.counts = mark.counts - before;
    frame.row_status = mark.row_status;
    before = mark.counts;
    while (step != end && (backward ? step->time > targets[k] : step->time < targets[k])) {
      frame.steps.push_back(*step++);
    }
  }
  return frames;
}

}  // namespace cvf::solvers

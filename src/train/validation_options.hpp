// How a run is judged while it trains and when it ends: when, and by which errors.
#pragma once

#include <cstdint>
#include <string>

#include "core/config.hpp"

namespace cvf::train {

struct ValidationOptions {
  std::int64_t steps = 0;  // 0: ten times over the run; negative: never
  int samples = 16;        // of the validation list, at most
  int frames = 0;          // how far; 0 = to the end

  void describe(config::Section& section);
};

/// What is done with the test samples once a run is over, so that a report has something to show.
struct EvaluationOptions {
  int samples = 32;  // of the test list, at most; 0: none
  int keep = 3;      // forecasts of so many are written, too

  void describe(config::Section& section);
};

/// L_tau of time-informed rollouts of the validation samples; negative: not known. A model that fits the
/// steps of training may drift on shorter ones, and the other way round, so both count.
struct RolloutErrors {
  double every_frame = -1;    // of the source
  double training_grid = -1;  // on the frames that training sees

  double mean() const { return (every_frame + training_grid) / 2; }
  bool known() const { return every_frame >= 0 && training_grid >= 0; }
};

/// A sentence that says which of the models in a run's folder to take for what, when the last one is better
/// than the best by one of the errors; otherwise empty: the best.
std::string advice(const RolloutErrors& best, const RolloutErrors& last, const std::string& folder);

}  // namespace cvf::train

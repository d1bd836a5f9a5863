// Does the model know when it is wrong? What goes with the error of a forecast, among signals that need no
// truth: the doubt (`doubts`: the sum over the accepted steps of NRE * step so far), and beside it two that
// need no model of errors at all: the time since the start, and how far the prediction has moved from it.
#pragma once

#include <string>
#include <vector>

#include "evaluate/truth.hpp"
#include "metrics/within_frames.hpp"

namespace cvf::evaluate {

struct SignalScore {
  std::string name, about;
  metrics::WithinFrames within;  // rank correlation with the error at equal lead time
  double pooled = 0;             // over all frames together
};

struct Trust {
  std::vector<SignalScore> signals;               // the doubt first
  std::vector<metrics::LeadTimeBin> reliability;  // of the doubt; frame 0 is the first predicted one
  std::size_t samples = 0, pairs = 0;

  bool measured() const { return pairs > 0; }
};

/// The signals and errors of forecasts made frame by frame. A sample counts up to the first frame whose doubt
/// was not measured or whose error is not finite.
class TrustRecord {
 public:
  void add(const Truth& truth, const rollout::Forecast& forecast);
  Trust trust() const;

 private:
  struct Signal {
    std::string name, about;
    std::vector<metrics::Track> tracks = {};  // one for each sample
  };
  std::vector<Signal> signals_{{"doubt", "sum of NRE * step so far"},
                               {"time", "since the start, alone"},
                               {"distance", "RMSE between the prediction and the first state, alone"}};
  std::size_t pairs_ = 0;
};

}  // namespace cvf::evaluate

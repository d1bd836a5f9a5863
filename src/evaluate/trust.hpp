// Does the model know when it is wrong? What goes with the error of a forecast, among signals that need no
// truth: the doubt (`doubts`: the sum over the accepted steps of NRE * step so far), step doubling and the
// spread of members where there are such, and beside them two that need no model of errors at all: the time
// since the start, and how far the prediction has moved from it.
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

/// For a solver that does not measure the NRE of its steps: what gcs, which measures it first, would have
/// made of them.
struct Search {
  std::int64_t steps = 0, shortened = 0;  // that were taken; that gcs would have made shorter
  std::int64_t evaluations = 0;           // that it took to find out
};

struct Trust {
  std::vector<SignalScore> signals;               // the doubt first, if the solver measures it
  std::vector<metrics::LeadTimeBin> reliability;  // frame 0 is the first predicted one
  std::string reliability_of;                     // the signal: the spread of members, else the doubt
  std::size_t samples = 0, pairs = 0;
  Search search;

  bool measured() const { return pairs > 0; }
};

/// The signals and errors of forecasts made frame by frame. A signal that no sample has is left out; a sample
/// counts up to the first frame at which its error or one of the others is not finite.
class TrustRecord {
 public:
  /// `halves`: the same way in half steps, if it was gone.
  void add(const Truth& truth, const rollout::Forecast& forecast, const rollout::Forecast* halves = nullptr);
  /// Of steps that took so many evaluations to judge, 0: the solver itself has.
  void add_search(const rollout::Forecast& judged, std::int64_t evaluations, double delta_min);
  Trust trust() const;

 private:
  struct Signal {
    std::string name, about;
    std::vector<std::vector<double>> samples = {};  // at each predicted frame

    bool known() const;
    /// The sample's numbers up to `frames`, beside its errors.
    metrics::Track track(std::size_t sample, std::size_t frames, const std::vector<double>& errors) const;
  };
  std::vector<Signal> signals_{{"doubt", "sum of NRE * step so far"},
                               {"doubling", "RMS between steps and half steps of the whole way"},
                               {"spread", "RMS of the standard deviation over members"},
                               {"time", "since the start, alone"},
                               {"distance", "RMSE between the prediction and the first state, alone"}};
  std::vector<std::vector<double>> errors_;
  Search search_;
};

}  // namespace cvf::evaluate

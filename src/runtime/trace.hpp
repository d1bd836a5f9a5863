// How the samples of a call went, and how far to trust where they got.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metrics/calibration.hpp"
#include "runtime/model.hpp"
#include "solvers/frames.hpp"

namespace cvf::runtime {

using Lists = std::vector<std::vector<double>>;
using Doubts = Lists;  // [samples][times], the start first

/// Worked out when first asked for, by whichever thread that is.
class OnDemand {
 public:
  explicit OnDemand(std::function<Lists()> make) : make_(std::move(make)) {}
  const Lists& get() {
    std::call_once(made_, [&] { numbers_ = make_(), make_ = nullptr; });
    return numbers_;
  }

 private:
  std::once_flag made_;
  std::function<Lists()> make_;
  Lists numbers_;
};

/// Of each sample. Members go their own ways (solvers/members.hpp): a sample has the counts of all of them,
/// the worst that happened to one, and the steps of the first.
struct Trace {
  solvers::Outcome outcome;
  std::vector<std::vector<double>> times;  // of each sample: its start, then its targets

  std::size_t members = 1;
  solvers::Outcome rows = {};               // a row for each member of a sample; empty: of one member
  Doubts spreads = {};                      // by the spread; the same
  std::shared_ptr<OnDemand> doubling = {};  // where the model's calibration goes by step doubling
  std::shared_ptr<OnDemand> nre = {};       // of the steps of each row, where the solver did not measure it
  std::vector<std::string> departures = {};  // of each sample, from training, in words; empty: none

  /// What did not go well with a sample, without its number; empty: all did.
  std::string message(std::size_t sample) const;

  std::vector<solvers::Frame> frames(std::size_t sample) const;
  /// Of one member by itself.
  std::vector<solvers::Frame> frames(std::size_t sample, std::size_t member) const;
  /// The largest error of an accepted step of any member, as the solver judged it, on the whole way or at
  /// each time on the way there; NaN: not measured.
  double largest_error(std::size_t sample) const;
  std::vector<double> largest_errors(std::size_t sample) const;
  /// The same NRE where the solver steps along the mean velocity and measured none: the first call measures it
  /// in a second pass, three evaluations per step. NaN for solvers that go along tangents.
  std::vector<double> largest_nre(std::size_t sample) const;

  /// What error bars are a multiple of, at the start and each target: the sum of ruptures (the mean of
  /// members), the spread of members, or how far the same way in half steps leads elsewhere (a UsageError of
  /// a forecast that was not made for it). Infinite where it is not known.
  std::vector<double> doubts(metrics::Signal signal, std::size_t sample) const;

 private:
  /// With the NRE of `nre`, if there is one.
  std::vector<solvers::Frame> judged_frames(std::size_t sample, std::size_t member) const;
};

/// The calibration beside the model, for this solver, whose doubt a trace has; a ModelError says what is
/// missing and which command makes it.
metrics::Calibration calibration_of(const Model& model);

/// Error bars of single values from the spread of a state of members, at a time since its start: what an
/// error stays inside at this coverage; infinite: no promise. A ModelError where the calibration goes by
/// another signal than the spread.
template <class T>
void value_bars(const Model& model, const metrics::Calibration& calibration, const T* spread, double elapsed,
                double coverage, T* bars);

}  // namespace cvf::runtime

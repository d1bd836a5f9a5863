// Forecasts beside their truth: what a calibration is made from, and what its bars are worth on samples that
// it has not seen.
#pragma once

#include "data/source.hpp"
#include "evaluate/doubt.hpp"
#include "evaluate/truth.hpp"

namespace cvf::evaluate {

/// A forecast, one number of each for every frame; the given one has doubt and error 0.
struct Trial {
  std::vector<double> times, doubt, error;
  std::vector<std::vector<double>> ratios =
      {};  // |error| / value_scales of each frame, thinned; none: error / doubt
};

/// One solve through all frames of each sample, as `cvf rollout` does.
std::vector<Trial> trials(const rollout::Setup& setup, const data::Source& source,
                          std::span<const std::size_t> samples, const Viewing& viewing,
                          Score score = Score::rupture);

/// Everything but whose it is, from validation samples; `for_shape` come from training samples, none: a flat
/// shape. A UsageError when the solver measures no NRE.
Calibration calibrate(std::span<const Trial> trials, std::span<const Trial> for_shape = {});

/// The share of single values (of frames, for the rupture) inside their bars at these lead times.
struct BinCoverage {
  double from = 0, to = 0, factor = 0, reached = 0;
  std::size_t samples = 0;
};

/// How many of the trials stay inside their bars at every frame.
struct Coverage {
  Score score = Score::rupture;
  double wanted = 0, factor = 0;
  std::size_t samples = 0, inside = 0;
  std::size_t unbounded =
      0;  // samples with frames that have no bar; the others decide whether they are inside
  double last_bar = 0, last_error = 0;  // of the last frames, medians

  double scatter =
      0;  // standard deviation of what is reached, over calibrations and samples of these numbers

  std::vector<BinCoverage> bins;  // that have a bar

  double reached() const { return static_cast<double>(inside) / static_cast<double>(samples); }
};
Coverage coverage_of(const Calibration& calibration, double wanted, std::span<const Trial> trials);

}  // namespace cvf::evaluate

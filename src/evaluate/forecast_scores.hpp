// A forecast that any program wrote, against the truth of a file, by the metrics of an evaluation.
#pragma once

#include "evaluate/evaluate.hpp"

namespace cvf::evaluate {

/// Which samples of the truth those of the forecast are, one by one: as `given`, else as the forecast itself
/// says
/// (`source_sample`, which cvf rollout writes), else the same numbers in files of as many samples. A
/// UsageError where nobody knows.
std::vector<std::size_t> samples_forecast(const data::Source& forecast, const data::Source& truth,
                                          std::vector<std::size_t> given);

/// Scores the frames whose times the truth has, too. The first frame of each sample is where its forecast
/// starts, and is not scored. Channels are matched by name; a DataError says what does not fit.
Evaluation evaluate_forecast(const std::shared_ptr<const data::Source>& forecast,
                             const std::shared_ptr<const data::Source>& truth,
                             const std::vector<std::size_t>& samples);

}  // namespace cvf::evaluate

// Single steps from true frames to true frames: how large the error of a step is, by its NRE and its length.
#pragma once

#include "data/source.hpp"
#include "evaluate/truth.hpp"
#include "solvers/step_errors.hpp"

namespace cvf::evaluate {

struct TriedStep {
  double nre, length, error;  // error: RMS in model units, that is in standard deviations of the state
};

/// Steps of 1, 2, 3, 4, 6, 8, ... frames, up to four times as long as in training, from some frames of each
/// sample; of every member.
std::vector<TriedStep> tried_steps(const rollout::Setup& setup, const data::Source& source,
                                   std::span<const std::size_t> samples, const Viewing& viewing);

/// The isotonic map from (NRE, length) to the error, least squares in its logarithm. A DataError when there
/// is nothing to learn from.
solvers::StepErrors fit_step_errors(std::span<const TriedStep> tried);

}  // namespace cvf::evaluate

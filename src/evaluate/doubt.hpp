// What a forecast says of its own error before anybody knows the truth, as one number a frame and, where the
// score has them, as one for each value of the state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/calibration.hpp"
#include "rollout/protocols.hpp"

namespace cvf::evaluate {

// The error bars of metrics, under the names of this room.
using metrics::BinOfTrajectory;
using metrics::Calibration;
using metrics::calibration_file;
using metrics::doubts;
using metrics::infinite;
using metrics::least_nre;
using metrics::load_calibration;
using metrics::octaves;
using metrics::save;
using metrics::share_within;
using metrics::thinned;
using Score = metrics::Signal;

std::string_view name(Score score);
Score score_called(const std::string& word);
/// Of members where there are several, else the rupture.
Score usual_score(const rollout::Model& model);
/// What a forecast by this solver pays for its score, as "3 evaluations a step"; empty: nothing.
std::string_view cost_of(Score score, const solvers::Choice& solver);
/// A UsageError where the model or its solver has no such score.
void check_has_score(Score score, const rollout::Model& model, const solvers::Choice& solver);

/// The sum of ruptures at each frame of a forecast; where there are several members, their mean.
std::vector<double> doubts(const rollout::Forecast& forecast, std::size_t sample,
                           const std::vector<double>& times);

/// Of metrics/calibration.hpp, for states of the protocols.
rollout::StateArray value_scales(const rollout::StateArray& values);
double frame_score(const rollout::StateArray& scales);

struct Doubt {
  std::int64_t evaluations = 0;             // that it took beside the forecast
  std::vector<std::vector<double>> frames;  // [B][frames of the sample]; the given one has 0
  rollout::StateArray values;               // [B,T,C,...]: value_scales; undefined for the rupture
};

/// Step doubling rolls out once more, as the rupture does where the solver did not measure it.
Doubt doubt_of(Score score, const rollout::Setup& setup, const rollout::StateArray& start,
               const rollout::Times& times, const rollout::Forecast& forecast,
               const rollout::SampleContexts& contexts);

}  // namespace cvf::evaluate

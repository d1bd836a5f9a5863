#include "evaluate/doubt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/errors.hpp"
#include "core/registry.hpp"

namespace cvf::evaluate {
namespace {

using rollout::StateArray;

constexpr std::array<std::pair<std::string_view, Score>, 3> score_names{
    {{"rupture", Score::rupture}, {"step_doubling", Score::step_doubling}, {"spread", Score::spread}}};

}  // namespace

std::string_view name(Score score) {
  return std::find_if(score_names.begin(), score_names.end(),
                      [&](const auto& known) { return known.second == score; })
      ->first;
}

Score score_called(const std::string& word) {
  for (const auto& [known, score] : score_names) {
    if (known == word) return score;
  }
  throw UsageError("unknown score '{}' (known: rupture, step_doubling, spread)", word);
}

Score usual_score(const rollout::Model& model) {
  return model.members() > 1 ? Score::spread : Score::rupture;
}

std::string_view cost_of(Score score, const solvers::Choice& solver) {
  if (score == Score::step_doubling) return "2 evaluations for each step and for each frame inside one";
  return score == Score::rupture && solver.name == "euler" ? "3 evaluations for each step" : "";
}

void check_has_score(Score score, const rollout::Model& model, const solvers::Choice& solver) {
  if (score == Score::spread && model.members() == 1) {
    throw UsageError(
        "the model has one member, so there is no spread of members: train it with train.members = 3, or "
        "take "
        "the score step_doubling");
  }
  if (score == Score::step_doubling && find(solvers::registry(), solver.name, "solver").tangent) {
    throw UsageError(
        "step doubling needs a solver that steps along the mean velocity, and {} goes along tangents; give "
        "--solver gcs or euler",
        solver.name);
  }
}

std::vector<double> doubts(const rollout::Forecast& forecast, std::size_t sample,
                           const std::vector<double>& times) {
  if (forecast.members.empty()) return doubts(forecast.frames[sample], times);
  std::vector<double> out(forecast.frames[sample].size(), 0);
  for (const auto& member : forecast.members) {
    const auto own = doubts(member.frames[sample], times);
    for (std::size_t k = 0; k < own.size(); ++k)
      out[k] += own[k] / static_cast<double>(forecast.members.size());
  }
  return out;
}

StateArray value_scales(const StateArray& values) {
  StateArray out = nowhere(values.leading, values);
  const std::size_t cells =
      values.rows->values() / static_cast<std::size_t>(values.state[0]);  // of a channel of a state
  values.visit(
      [&]<class T>(std::span<T> all) { metrics::value_scales<T>(all, cells, out.rows->template data<T>()); });
  return out;
}

double frame_score(const StateArray& scales) {
  return scales.visit([]<class T>(std::span<T> all) { return metrics::frame_score<T>(all); });
}

namespace {

// How far the whole steps are from the half steps.
StateArray apart(const StateArray& whole, const StateArray& halves) {
  StateArray out = nowhere(whole.leading, whole);
  whole.visit([&]<class T>(std::span<T> all) {
    const T* other = halves.rows->data<T>();
    T* to = out.rows->data<T>();
    for (std::size_t i = 0; i < all.size(); ++i) to[i] = all[i] - other[i];
  });
  return out;
}

}  // namespace

Doubt doubt_of(Score score, const rollout::Setup& setup, const StateArray& start, const rollout::Times& times,
               const rollout::Forecast& forecast, const rollout::SampleContexts& contexts) {
  Doubt out;
  if (score == Score::rupture) {
    rollout::Forecast judged = forecast;
    out.evaluations = judge_steps(setup, start, times, judged, contexts);
    for (std::size_t i = 0; i < times.size(); ++i) out.frames.push_back(doubts(judged, i, times[i]));
    return out;
  }
  if (score == Score::spread) {
    out.values = value_scales(forecast.spread);
  } else {
    const auto halves = with_half_steps(setup, start, times, forecast, contexts);
    for (const auto& frames : halves.frames) {
      for (const auto& frame : frames) out.evaluations += frame.counts.evaluations;
    }
    out.values = value_scales(apart(forecast.states, halves.states));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    out.frames.emplace_back(times[i].size(), 0);
    for (std::size_t k = 1; k < times[i].size(); ++k) out.frames[i][k] = frame_score(out.values[i][k]);
  }
  return out;
}

}  // namespace cvf::evaluate

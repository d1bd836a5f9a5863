#include "evaluate/doubt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/errors.hpp"
#include "core/registry.hpp"

namespace cvf::evaluate {
namespace {

using torch::Tensor;

constexpr std::array<std::pair<std::string_view, Score>, 3> names{
    {{"rupture", Score::rupture}, {"step_doubling", Score::step_doubling}, {"spread", Score::spread}}};

}  // namespace

std::string_view name(Score score) {
  return std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.second == score; })
      ->first;
}

Score score_called(const std::string& word) {
  for (const auto& [known, score] : names) {
    if (known == word) return score;
  }
  throw UsageError("unknown score '{}' (known: rupture, step_doubling, spread)", word);
}

Score usual_score(const model::TrainedModel& model) {
  return model.field->member_count() > 1 ? Score::spread : Score::rupture;
}

void check_has_score(Score score, const model::TrainedModel& model, const solvers::Choice& solver) {
  if (score == Score::spread && model.field->member_count() == 1) {
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

std::vector<double> doubts(const rollout::Forecast& forecast, std::size_t sample) {
  if (forecast.members.empty()) return doubts(forecast.frames[sample]);
  std::vector<double> out(forecast.frames[sample].size(), 0);
  for (const auto& member : forecast.members) {
    const auto own = doubts(member.frames[sample]);
    for (std::size_t k = 0; k < own.size(); ++k)
      out[k] += own[k] / static_cast<double>(forecast.members.size());
  }
  return out;
}

Tensor value_scales(const Tensor& values, bool vector) {
  if (vector) return values.abs();
  const Tensor squares = values.square();
  return ((squares + squares.mean({-2, -1}, true)) / 2).sqrt();
}

double frame_score(const Tensor& scales) {
  const double square = scales.to(torch::kDouble).square().mean().item<double>();
  return std::isfinite(square) ? std::max(std::sqrt(square), 1e-12) : infinite;
}

Doubt doubt_of(Score score, const rollout::Setup& setup, const rollout::Physical& start,
               const rollout::Times& times, const rollout::Forecast& forecast,
               const rollout::SampleContexts& contexts) {
  Doubt out;
  if (score == Score::rupture) {
    for (std::size_t i = 0; i < times.size(); ++i) out.frames.push_back(doubts(forecast, i));
    return out;
  }
  const bool vector = start.value.dim() == 2;
  const Tensor apart =
      score == Score::spread
          ? forecast.spread.value
          : forecast.states.value -
                rollout::with_half_steps(setup, start, times, forecast, contexts).states.value;
  out.values = value_scales(apart, vector);
  for (std::size_t i = 0; i < times.size(); ++i) {
    out.frames.emplace_back(times[i].size(), 0);
    for (std::size_t k = 1; k < times[i].size(); ++k)
      out.frames[i][k] = frame_score(out.values[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(k)]);
  }
  return out;
}

}  // namespace cvf::evaluate

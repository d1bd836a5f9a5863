#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "evaluate/calibration.hpp"
#include "evaluate/truth.hpp"
#include "metrics/trust.hpp"

namespace cvf::evaluate {
namespace {

using rollout::Forecast;
using rollout::Physical;
using torch::Tensor;
using Clock = std::chrono::steady_clock;

void score(metrics::Scoreboard& board, const Truth& truth, const Forecast& forecast, double seconds) {
  double frames = 0;
  for (const auto& t : truth.times) frames += static_cast<double>(t.size() - 1);
  for (std::size_t k = 1; k < truth.most_frames(); ++k) {
    const auto rows = truth.rows_with(k);
    const Tensor index = torch::tensor(rows);
    const auto at = static_cast<std::int64_t>(k);
    metrics::Frame frame{.prediction = forecast.states.value.index_select(0, index).select(1, at),
                         .truth = truth.states.index_select(0, index).select(1, at),
                         .index = at,
                         .samples = {},
                         .times = {},
                         .evaluations = {},
                         .seconds = seconds * static_cast<double>(rows.size()) / frames};
    for (const auto row : rows) {
      const auto i = static_cast<std::size_t>(row);
      frame.samples.push_back(static_cast<std::int64_t>(truth.samples[i]));
      frame.times.push_back(truth.times[i][k] - truth.times[i][0]);
      frame.evaluations.push_back(static_cast<double>(forecast.frames[i][k].counts.evaluations));
    }
    board.add(frame);
  }
}

void add_trust(Trust& trust, const Truth& truth, const Forecast& forecast) {
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    const auto doubt = doubts(forecast.frames[i]), error = truth.errors(forecast.states.value, i);
    for (std::size_t k = 1; k < error.size(); ++k) {
      if (!std::isfinite(doubt[k]) || !std::isfinite(error[k])) break;  // not measured, or diverged
      trust.scores.push_back(doubt[k]);
      trust.errors.push_back(error[k]);
    }
  }
}

struct Protocol {
  std::string name;
  std::vector<std::string> metrics;
  std::function<Forecast(const rollout::Setup&, const Truth&)> run;
};

Protocol protocol_of(const std::string& name) {
  const auto start = [](const Truth& t) { return Physical{t.states.select(1, 0)}; };
  const std::vector<std::string> rolled{"rollout_rmse",     "nfe",       "relative_l2",
                                        "spectrum_error",   "conserved", "correlation_time",
                                        "seconds_per_frame"};
  if (name == "one_step") {
    return {name, {"step_rmse", "nfe"}, [](const auto& setup, const Truth& t) {
              return rollout::one_step(setup, {t.states}, t.times);
            }};
  }
  if (name == "time_informed") {
    return {name, rolled, [start](const auto& setup, const Truth& t) {
              return rollout::time_informed(setup, start(t), t.times);
            }};
  }
  if (name == "direct") {
    return {name, rolled,
            [start](const auto& setup, const Truth& t) { return rollout::direct(setup, start(t), t.times); }};
  }
  throw UsageError("unknown protocol '{}' (known: time_informed, direct)", name);
}

metrics::Setting setting_of(const data::Description& d) {
  metrics::Setting out;
  const auto system = d.attributes.find("system");
  if (system != d.attributes.end()) out.system = system->second;
  out.channels = d.channels;
  const auto spacing = [](const std::vector<double>& c) { return c.size() > 1 ? c[1] - c[0] : 1.0; };
  if (d.ny * d.nx > 1) out.spacing = {spacing(d.y), spacing(d.x)};
  return out;
}

}  // namespace

double Trust::rank_correlation() const {
  return metrics::rank_correlation(scores, errors);
}

const metrics::Score* Part::find(std::string_view metric) const {
  for (const auto& score : scores) {
    if (score.row->name == metric) return &score;
  }
  return nullptr;
}

Evaluation evaluate(const rollout::Setup& setup, const data::Source& source,
                    std::span<const std::size_t> samples, const Options& options) {
  rollout::check_fits(source, setup.model, setup.any_spacing);
  TruthReader reader(source, options);
  std::vector<std::string> names = options.protocols;
  if (options.one_step) names.insert(names.begin(), "one_step");
  Progress progress("evaluate", samples.size() * names.size(), "samples");
  Evaluation out;
  for (const auto& name : names) {
    const Protocol protocol = protocol_of(name);
    metrics::Scoreboard board(protocol.metrics, setting_of(source.description()));
    Part part{name, {}, {}, {}};
    const auto together = static_cast<std::size_t>(options.together);
    for (std::size_t first = 0; first < samples.size(); first += together) {
      interrupt::throw_if_requested("nothing was written");
      const auto group = samples.subspan(first, std::min(together, samples.size() - first));
      const Truth truth = reader.read(group);
      const auto begin = Clock::now();
      const Forecast forecast = protocol.run(setup, truth);
      score(board, truth, forecast, std::chrono::duration<double>(Clock::now() - begin).count());
      if (name == "time_informed") add_trust(part.trust, truth, forecast);
      progress.advance(group.size());
    }
    part.scores = board.scores();
    part.divergence = board.divergence_sentence();
    out.parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace cvf::evaluate

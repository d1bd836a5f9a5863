#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "evaluate/calibrate.hpp"
#include "evaluate/truth.hpp"
#include "rollout/forecast_file.hpp"

namespace cvf::evaluate {
namespace {

using rollout::Forecast;
using torch::Tensor;
using Clock = std::chrono::steady_clock;

void score(metrics::Scoreboard& board, const Truth& truth, const Forecast& forecast, double seconds) {
  double frames = 0;
  for (const auto& t : truth.times) frames += static_cast<double>(t.size() - 1);
  for (std::size_t k = 1; k < truth.most_frames(); ++k) {
    auto frame = truth.frame(k, rollout::tensor_of(forecast.states).select(1, static_cast<std::int64_t>(k)));
    frame.seconds = seconds * static_cast<double>(frame.samples.size()) / frames;
    for (const auto row : truth.rows_with(k)) {
      const auto& reached = forecast.frames[static_cast<std::size_t>(row)][k];
      frame.evaluations.push_back(static_cast<double>(reached.counts.evaluations));
    }
    board.add(frame);
  }
}

// The mean time of each frame since the given one.
class Timeline {
 public:
  void add(const Truth& truth) {
    for (const auto& times : truth.times) {
      sums_.resize(std::max(sums_.size(), times.size()));
      for (std::size_t k = 0; k < times.size(); ++k) {
        sums_[k].first += times[k] - times[0];
        sums_[k].second += 1;
      }
    }
  }
  std::vector<double> means() const {
    std::vector<double> out;
    for (const auto& [sum, count] : sums_) out.push_back(sum / count);
    return out;
  }

 private:
  std::vector<std::pair<double, double>> sums_;  // sum, count
};

struct Protocol {
  std::string name;
  std::vector<std::string> metrics, of_baselines;
  std::function<Forecast(const rollout::Setup&, const Truth&)> run;
};

Protocol protocol_of(const std::string& name) {
  const std::vector<std::string> rolled{"rollout_rmse",     "normalized_rmse",  "nfe",
                                        "relative_l2",      "spectrum_error",   "conserved",
                                        "correlation_time", "seconds_per_frame"},
      of_states{"rollout_rmse", "normalized_rmse", "relative_l2"};
  if (name == "one_step") {
    return {name, {"step_rmse", "nfe"}, {"step_rmse"}, [](const auto& setup, const Truth& t) {
              return rollout::one_step(setup, rollout::array_of(t.states, 2), t.times, t.contexts);
            }};
  }
  if (name == "time_informed") {
    return {name, rolled, of_states, [](const auto& setup, const Truth& t) {
              return rollout::time_informed(setup, t.start(), t.times, t.contexts);
            }};
  }
  if (name == "direct") {
    return {name, rolled, of_states, [](const auto& setup, const Truth& t) {
              return rollout::direct(setup, t.start(), t.times, t.contexts);
            }};
  }
  if (name == "forecast") {
    return {name, rolled, of_states, [](const auto& setup, const Truth& t) {
              return rollout::forecast(setup, t.start(), t.times, {}, t.contexts);
            }};
  }
  throw UsageError("unknown protocol '{}' (known: time_informed, direct, forecast)", name);
}

void add_trust(TrustRecord& trust, const rollout::Setup& setup, const Truth& truth, const Forecast& forecast,
               bool step_doubling) {
  if (!step_doubling) return trust.add(truth, forecast);
  const Forecast halves =
      rollout::with_half_steps(setup, truth.start(), truth.times, forecast, truth.contexts);
  trust.add(truth, forecast, &halves);
}

// The members of a model, each against the truth.
class Alone {
 public:
  Alone(std::size_t members, const std::vector<std::string>& names, const metrics::Setting& setting) {
    for (std::size_t m = 0; m < members && members > 1; ++m)
      boards_.push_back(std::make_unique<metrics::Scoreboard>(names, setting));
  }
  void add(const Truth& truth, const Forecast& forecast) {
    for (std::size_t m = 0; m < boards_.size(); ++m) score(*boards_[m], truth, forecast.members[m], 0);
  }
  std::vector<OneMember> results() const {
    std::vector<OneMember> out;
    for (const auto& board : boards_) {
      const auto scores = board->scores();
      for (std::size_t i = 0; i < scores.size(); ++i) {
        if (out.size() <= i) out.push_back({scores[i].row, {}});
        out[i].members.push_back(scores[i].diverged ? std::nullopt : scores[i].value);
      }
    }
    return out;
  }

 private:
  std::vector<std::unique_ptr<metrics::Scoreboard>> boards_;
};

}  // namespace

std::optional<double> OneMember::mean() const {
  double sum = 0;
  for (const auto& value : members) {
    if (!value) return std::nullopt;
    sum += *value / static_cast<double>(members.size());
  }
  return sum;
}

const metrics::Score* Part::find(std::string_view metric) const {
  for (const auto& score : scores) {
    if (score.row->name == metric) return &score;
  }
  return nullptr;
}

std::vector<std::size_t> Evaluation::training_frames() const {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; training_every > 0 && k < times.size(); ++k) {
    if (k * static_cast<std::size_t>(every) % static_cast<std::size_t>(training_every) == 0) out.push_back(k);
  }
  return out;
}

Evaluation evaluate(const rollout::Setup& setup, const data::Source& source,
                    std::span<const std::size_t> samples, const Options& options) {
  rollout::check_fits(source, setup.model->facts(), setup.any_spacing);
  TruthReader reader(source, options);
  std::vector<std::string> names = options.protocols;
  if (options.one_step) names.insert(names.begin(), "one_step");
  Progress progress("evaluate", samples.size() * names.size(), "samples");
  const auto& d = source.description();
  const MeanState mean = options.training.empty()
                             ? mean_of_normalizer(*setup.model, d.state.is_vector() ? 2 : 4)
                             : mean_of_samples(source, options.training);
  Evaluation out{.every = options.every, .training_every = options.training_every};
  for (const auto& name : names) {
    const Protocol protocol = protocol_of(name);
    const auto setting = setting_of(source, samples);
    metrics::Scoreboard board(protocol.metrics, setting);
    Baselines baselines(protocol.of_baselines, setting, mean, name == "one_step");
    Alone alone(static_cast<std::size_t>(setup.model->members()), protocol.of_baselines, setting);
    Part part{.protocol = name, .kept = Kept(name == "one_step" ? 0 : options.keep)};
    Timeline timeline;
    TrustRecord trust;
    const bool judges = name == "time_informed" || name == "forecast";
    const auto together = static_cast<std::size_t>(options.together);
    for (std::size_t first = 0; first < samples.size(); first += together) {
      interrupt::throw_if_requested("nothing was written");
      const auto group = samples.subspan(first, std::min(together, samples.size() - first));
      const Truth truth = reader.read(group);
      const auto begin = Clock::now();
      Forecast forecast = protocol.run(setup, truth);
      score(board, truth, forecast, std::chrono::duration<double>(Clock::now() - begin).count());
      if (judges) {
        const auto spent = judge_steps(setup, truth.start(), truth.times, forecast, truth.contexts);
        trust.add_search(forecast, spent, setup.model->facts().state.delta_min);
      }
      baselines.add(truth);
      timeline.add(truth);
      part.kept.take(truth, forecast, name == "direct");
      alone.add(truth, forecast);
      if (judges) add_trust(trust, setup, truth, forecast, options.step_doubling);
      progress.advance(group.size());
    }
    part.scores = board.scores();
    part.baselines = baselines.results();
    part.one_member = alone.results();
    part.trust = trust.trust();
    part.divergence = board.divergence_sentence();
    out.times = timeline.means();
    out.parts.push_back(std::move(part));
  }
  return out;
}

void Kept::take(const Truth& truth, const rollout::Forecast& forecast, bool direct) {
  for (std::size_t i = 0; i < truth.rows() && samples_.size() < most_; ++i) {
    const auto count = static_cast<std::int64_t>(truth.times[i].size());
    samples_.push_back(truth.samples[i]);
    if (!truth.contexts.empty() && truth.contexts[i]) contexts_.push_back(truth.contexts[i]);
    times_.push_back(truth.times[i]);
    states_.push_back(
        rollout::tensor_of(forecast.states)[static_cast<std::int64_t>(i)].slice(0, 0, count).clone());
    frames_.push_back(forecast.frames[i]);
    for (std::size_t k = 0; direct && k + 1 < frames_.back().size(); ++k) frames_.back()[k].steps.clear();
  }
}

void Kept::write(const std::string& file, const data::Source& source,
                 std::vector<std::pair<std::string, std::string>> attributes) const {
  const auto& d = source.description();
  data::GroupsPlan plan{state_of(d.channels(), d.state.axes), times_, {}, std::move(attributes)};
  plan.attributes.emplace_back("forecast_of", d.file);
  if (!contexts_.empty()) rollout::add_context(plan, d.context);
  rollout::ForecastFile out(file, std::move(plan), samples_);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (!contexts_.empty()) out.write_context(i, *contexts_[i]);
    const auto states = rollout::array_of(states_[i]);
    for (std::size_t k = 0; k < times_[i].size(); ++k) out.write(i, k, states[k]);
  }
  out.write_records(0, frames_);
  out.finish();
}

}  // namespace cvf::evaluate

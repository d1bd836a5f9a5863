#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "data/trajectories.hpp"
#include "metrics/trust.hpp"

namespace cvf::evaluate {
namespace {

using rollout::Forecast;
using rollout::Physical;
using torch::Tensor;
using Clock = std::chrono::steady_clock;

// The true frames of a group of samples; shorter ones are filled up with their last frame, which nobody
// reads.
struct Truth {
  std::vector<std::size_t> samples;
  rollout::Times times;
  Tensor states;  // [B,T,C,...]

  std::size_t rows() const { return samples.size(); }
  std::size_t most_frames() const {
    std::size_t out = 0;
    for (const auto& t : times) out = std::max(out, t.size());
    return out;
  }
  std::vector<std::int64_t> rows_with(std::size_t frame) const {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < rows(); ++i) {
      if (frame < times[i].size()) out.push_back(static_cast<std::int64_t>(i));
    }
    return out;
  }
};

std::vector<std::int64_t> frame_shape(const data::Description& d) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(d.channels.size())};
  if (d.ny * d.nx > 1)
    shape.insert(shape.end(), {static_cast<std::int64_t>(d.ny), static_cast<std::int64_t>(d.nx)});
  return shape;
}

Tensor frames_of(const data::Trajectory& whole, std::size_t frames, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> sizes{static_cast<std::int64_t>(frames)};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return torch::from_blob(const_cast<float*>(whole.values.data()), sizes).clone();
}

Truth read_truth(data::Trajectories& trajectories, std::span<const std::size_t> samples, int frames) {
  Truth out{{samples.begin(), samples.end()}, {}, {}};
  std::vector<Tensor> all;
  for (const auto sample : samples) {
    const auto whole = trajectories.get(sample);
    auto count = whole->times.size();
    if (frames > 0) count = std::min(count, static_cast<std::size_t>(frames) + 1);
    if (count < 2) {
      throw DataError("{}: sample {} has one frame only, so there is nothing to predict",
                      trajectories.source().description().file, sample);
    }
    out.times.emplace_back(whole->times.begin(), whole->times.begin() + static_cast<std::ptrdiff_t>(count));
    all.push_back(frames_of(*whole, count, frame_shape(trajectories.source().description())));
  }
  const auto most = static_cast<std::int64_t>(out.most_frames());
  for (auto& states : all) {
    const auto missing = most - states.size(0);
    if (missing > 0) states = torch::cat({states, states.slice(0, -1).repeat_interleave(missing, 0)});
  }
  out.states = torch::stack(all);
  return out;
}

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
    const auto row = static_cast<std::int64_t>(i);
    const Tensor squares = (forecast.states.value[row] - truth.states[row])
                               .to(torch::kDouble)
                               .square()
                               .flatten(1)
                               .mean(1)
                               .contiguous();
    double doubt = 0;
    for (std::size_t k = 1; k < truth.times[i].size(); ++k) {
      for (const auto& step : forecast.frames[i][k].steps) doubt += step.error * step.step;
      const double error = std::sqrt(squares.data_ptr<double>()[k]);
      if (!std::isfinite(doubt) || !std::isfinite(error))
        break;  // a step that was not measured, or divergence
      trust.scores.push_back(doubt);
      trust.errors.push_back(error);
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
  const std::shared_ptr<const data::Source> borrowed(&source, [](const data::Source*) {});
  data::Trajectories trajectories(borrowed, {data::Downsampling::even, options.every}, 0, false);
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
      const Truth truth = read_truth(trajectories, group, options.frames);
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

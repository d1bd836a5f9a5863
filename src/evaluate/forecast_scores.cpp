#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "data/source.hpp"
#include "evaluate/evaluate.hpp"

namespace cvf::evaluate {
namespace {

using torch::Tensor;

constexpr double rounding = 1e-3;  // of the truth's spacing: times in files are rounded

// The frames of the truth at the forecast's times; frames of the forecast at other times are left out.
struct Common {
  std::vector<std::size_t> of_forecast, of_truth;
  std::vector<double> times;
};

Common common_frames(const std::vector<double>& forecast, const std::vector<double>& truth) {
  Common out;
  for (std::size_t k = 0; k < forecast.size(); ++k) {
    const auto after = std::lower_bound(truth.begin(), truth.end(), forecast[k]);
    for (auto near = after == truth.begin() ? after : after - 1; near != truth.end() && near <= after;
         ++near) {
      const auto j = static_cast<std::size_t>(near - truth.begin());
      const double spacing = j + 1 < truth.size() ? truth[j + 1] - truth[j]
                             : j > 0              ? truth[j] - truth[j - 1]
                                                  : 1;
      if (std::abs(*near - forecast[k]) > rounding * spacing) continue;
      out.of_forecast.push_back(k);
      out.of_truth.push_back(j);
      out.times.push_back(*near);
      break;
    }
  }
  return out;
}

// [T,C,...]
Tensor frames_of(const data::Source& source, std::size_t sample, const std::vector<std::size_t>& frames) {
  const auto& d = source.description();
  auto sizes = d.state.tensor_sizes();  // C, then the grid; files have the channel last
  std::rotate(sizes.begin(), sizes.begin() + 1, sizes.end());
  std::vector<Tensor> out;
  for (const auto frame : frames) {
    Tensor values = torch::empty(sizes);
    source.read(sample, frame, 1, {values.data_ptr<float>(), d.frame_size()});
    out.push_back(values.movedim(-1, 0));
  }
  return torch::stack(out);
}

void check_grids(const data::Description& forecast, const data::Description& truth) {
  if (forecast.state.same_grid(truth.state)) return;
  throw DataError("{}: its grid is not that of {}, so the two cannot be compared", forecast.file, truth.file);
}

}  // namespace

std::vector<std::size_t> samples_forecast(const data::Source& forecast, const data::Source& truth,
                                          std::vector<std::size_t> given) {
  const auto &f = forecast.description(), &t = truth.description();
  if (!given.empty()) {
    if (given.size() == f.samples) return given;
    throw UsageError("--samples names {} samples, and {} has {}", given.size(), f.file, f.samples);
  }
  for (std::size_t i = 0; i < f.samples; ++i) {
    const auto scalars = forecast.scalars(i);
    const auto found = scalars.find("source_sample");
    if (found == scalars.end()) break;
    if (!(found->second >= 0) || found->second >= static_cast<double>(t.samples)) {
      throw DataError("{}: sample {} is a forecast of sample {:g}, and {} has {}", f.file, i, found->second,
                      t.file, t.samples);
    }
    given.push_back(static_cast<std::size_t>(found->second));
  }
  if (given.size() == f.samples) return given;
  given.resize(f.samples);
  for (std::size_t i = 0; i < f.samples; ++i) given[i] = i;
  if (f.samples == t.samples) return given;
  throw UsageError("{} has {} samples and {} has {}: say which of those they are, e.g. --samples 0:{}",
                   f.file, f.samples, t.file, t.samples, f.samples);
}

Evaluation evaluate_forecast(const std::shared_ptr<const data::Source>& forecast,
                             const std::shared_ptr<const data::Source>& truth,
                             const std::vector<std::size_t>& samples) {
  const auto& f = forecast->description();
  const auto matched = data::with_channels(truth, f.channels());
  const auto& t = matched->description();
  check_grids(f, t);
  const std::vector<std::string> names{"rollout_rmse",   "normalized_rmse", "relative_l2",
                                       "spectrum_error", "conserved",       "correlation_time"},
      of_states{"rollout_rmse", "normalized_rmse", "relative_l2"};
  auto setting = setting_of(*matched, samples);
  const auto of_truth = std::exchange(setting.of_sample, {});
  for (std::size_t i = 0; i < samples.size() && !of_truth.empty(); ++i)  // frames are named as the forecast's
    setting.of_sample[static_cast<std::int64_t>(i)] = of_truth.at(static_cast<std::int64_t>(samples[i]));
  metrics::Scoreboard board(names, setting);
  Baselines baselines(of_states, setting, {}, false);
  Progress progress("evaluate", samples.size(), "samples");
  std::size_t without_truth = 0, other_start = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    interrupt::throw_if_requested("nothing was written");
    const auto common = common_frames(forecast->times(i), matched->times(samples[i]));
    without_truth += f.frames[i] - common.times.size();
    if (common.times.size() < 2 || common.of_forecast.front() != 0) {
      throw DataError(
          "{}: the start of sample {} and a later time must be among the times of sample {} of {}", f.file, i,
          samples[i], t.file);
    }
    const Truth here{{i}, {common.times}, frames_of(*matched, samples[i], common.of_truth).unsqueeze(0), {}};
    const Tensor predicted = frames_of(*forecast, i, common.of_forecast).unsqueeze(0);
    const Tensor start = here.states.select(1, 0);
    const double round_off = 1e-6 * start.abs().max().item<double>();
    if (!torch::allclose(predicted.select(1, 0), start, 1e-4, round_off)) ++other_start;
    for (std::size_t k = 1; k < common.times.size(); ++k)
      board.add(here.frame(k, predicted.select(1, static_cast<std::int64_t>(k))));
    baselines.add(here);
    progress.advance(1);
  }
  if (without_truth > 0)
    log::note("{}: {} frames at times that {} does not have are not scored", f.file, without_truth, t.file);
  if (other_start > 0) {
    log::warning("{}: {} of {} samples do not start from the state of {} at their first time", f.file,
                 other_start, samples.size(), t.file);
  }
  Part part{.protocol = "forecast", .kept = Kept(0)};
  part.scores = board.scores();
  part.baselines = baselines.results();
  part.divergence = board.divergence_sentence();
  Evaluation out;
  out.parts.push_back(std::move(part));
  return out;
}

}  // namespace cvf::evaluate

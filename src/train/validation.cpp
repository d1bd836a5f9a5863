#include "train/validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "data/trajectories.hpp"
#include "rollout/protocols.hpp"

namespace cvf::train {
namespace {

using torch::Tensor;

std::vector<std::int64_t> shape_of(const model::StateFacts& facts, std::size_t frames) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(frames),
                                  static_cast<std::int64_t>(facts.channels.size())};
  if (facts.ny * facts.nx > 1) shape.insert(shape.end(), {facts.ny, facts.nx});
  return shape;
}

}  // namespace

// Sums over the samples of a rank: for each predicted frame the squares and how many samples have it, then
// what is counted over all. One list, so that ranks add theirs up in one go.
struct Validation::Sums {
  std::vector<double> numbers;
  std::size_t frames;

  explicit Sums(std::size_t most_frames) : numbers(2 * most_frames + 4), frames(most_frames) {}
  double& square(std::size_t frame) { return numbers[frame]; }
  double& count(std::size_t frame) { return numbers[frames + frame]; }
  double& evaluations() { return numbers[2 * frames]; }
  double& intervals() { return numbers[2 * frames + 1]; }
  double& diverged() { return numbers[2 * frames + 2]; }
  double& interrupted() { return numbers[2 * frames + 3]; }

  void add(const Tensor& states, const Tensor& truth, const std::vector<double>& spent) {
    const Tensor squares = (states - truth).to(torch::kDouble).square().flatten(1).mean(1).contiguous();
    if (!torch::isfinite(squares).all().item<bool>()) ++diverged();
    for (std::size_t f = 1; f < spent.size(); ++f) {
      square(f) += squares.data_ptr<double>()[f];
      ++count(f);
      evaluations() += spent[f];
      ++intervals();
    }
  }

  // L_tau: the root of the mean over predicted frames of the squared RMSE.
  double error() {
    if (diverged() > 0) return std::numeric_limits<double>::quiet_NaN();
    double total = 0;
    for (std::size_t f = 1; f < frames; ++f) total += square(f) / count(f);
    return std::sqrt(total / static_cast<double>(frames - 1));
  }
};

Numbers Verdict::numbers() const {
  return {{"rollout_error", rollout_error}, {"evaluations", evaluations}, {"diverged", diverged}};
}

Validation::Validation(const Materials& materials, const RunOptions& o) {
  if (o.validation.steps < 0) return;
  data::Trajectories trajectories(materials.source, {}, 0, false);
  const auto& samples = materials.splits.validation;
  const auto count = std::min<std::size_t>(samples.size(), static_cast<std::size_t>(o.validation.samples));
  for (std::size_t i = 0; i < count; ++i) {
    interrupt::throw_if_requested("the run had not begun");
    const auto whole = trajectories.get(samples[i]);
    auto frames = whole->times.size();
    if (o.validation.frames > 0) frames = std::min(frames, static_cast<std::size_t>(o.validation.frames) + 1);
    if (frames < 2) continue;
    const Tensor values =
        torch::from_blob(const_cast<float*>(whole->values.data()), shape_of(materials.recipe.state, frames));
    truths_.push_back(
        {values.clone(), {whole->times.begin(), whole->times.begin() + static_cast<std::ptrdiff_t>(frames)}});
  }
  for (const auto& truth : truths_) longest_ = std::max(longest_, truth.times.size());
  const auto& state = materials.recipe.state;
  solver_ = o.solver_settings->build({.delta_min = state.delta_min, .largest_step = state.largest_dt});
}

Verdict Validation::judge(const model::TrainedModel& model, Team& team) const {
  const torch::NoGradGuard no_gradients;
  const bool training = model.field->is_training();
  model.field->eval();
  Sums sums(longest_);
  try {
    add_share(sums, model, static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size()));
  } catch (const Interrupted&) {
    sums.interrupted() = 1;
  }
  sums.numbers = team.sum(std::move(sums.numbers));
  if (training) model.field->train();
  if (sums.interrupted() > 0) throw Interrupted("interrupted while the validation samples were rolled out");
  return {.rollout_error = sums.error(),
          .evaluations = sums.evaluations() / sums.intervals(),
          .diverged = sums.diverged()};
}

// The samples of one rank: every size-th.
void Validation::add_share(Sums& sums, const model::TrainedModel& model, std::size_t rank,
                           std::size_t size) const {
  std::vector<Tensor> starts;
  rollout::Times times;
  for (std::size_t i = rank; i < truths_.size(); i += size) {
    starts.push_back(truths_[i].frames[0]);
    times.push_back(truths_[i].times);
  }
  if (starts.empty()) return;
  const auto forecast =
      rollout::time_informed({.model = model, .solver = *solver_}, {torch::stack(starts)}, times);
  for (std::size_t row = 0; row < times.size(); ++row) {
    const Tensor& truth = truths_[rank + row * size].frames;
    const Tensor states = forecast.states.value[static_cast<std::int64_t>(row)].narrow(0, 0, truth.size(0));
    std::vector<double> spent;
    for (const auto& frame : forecast.frames[row])
      spent.push_back(static_cast<double>(frame.counts.evaluations));
    sums.add(states, truth, spent);
  }
}

}  // namespace cvf::train

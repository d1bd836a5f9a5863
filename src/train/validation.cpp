#include "train/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/scores.hpp"
#include "data/trajectories.hpp"
#include "metrics/spread.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"

namespace cvf::train {
namespace {

class EvaluationMode {  // as long as it lives
 public:
  explicit EvaluationMode(torch::nn::Module& module) : module_(module), was_training_(module.is_training()) {
    module.eval();
  }
  ~EvaluationMode() {
    if (was_training_) module_.train();
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

using torch::Tensor;

std::vector<std::int64_t> shape_of(const StateSpec& facts, std::size_t frames) {
  auto shape = facts.tensor_sizes();
  shape.insert(shape.begin(), static_cast<std::int64_t>(frames));
  return shape;
}

// The mean over channels and cells of each frame [T,C,...].
Tensor mean_squares(const Tensor& difference) {
  return difference.square().flatten(1).mean(1).contiguous();
}

}  // namespace

// Sums over the samples of a rank: for each predicted frame the squares, physical and normalised, and how
// many samples have it, then what is counted over all. One list, so that ranks add theirs up in one go.
struct Validation::Sums {
  std::vector<double> numbers;
  std::size_t frames;

  explicit Sums(std::size_t most_frames) : numbers(3 * most_frames + 4), frames(most_frames) {}
  double& square(std::size_t frame) { return numbers[frame]; }
  double& normalized(std::size_t frame) { return numbers[frames + frame]; }
  double& count(std::size_t frame) { return numbers[2 * frames + frame]; }
  double& evaluations() { return numbers[3 * frames]; }
  double& intervals() { return numbers[3 * frames + 1]; }
  double& diverged() { return numbers[3 * frames + 2]; }
  double& interrupted() { return numbers[3 * frames + 3]; }

  void add(const Tensor& states, const Tensor& truth, const Tensor& units) {
    const Tensor difference = (states - truth).to(torch::kDouble);
    const Tensor squares = mean_squares(difference), in_units = mean_squares(difference / units);
    if (!torch::isfinite(squares).all().item<bool>()) ++diverged();
    for (std::int64_t f = 1; f < squares.size(0); ++f) {
      square(static_cast<std::size_t>(f)) += squares.data_ptr<double>()[f];
      normalized(static_cast<std::size_t>(f)) += in_units.data_ptr<double>()[f];
      ++count(static_cast<std::size_t>(f));
    }
  }

  double error() { return error_of(&Sums::square); }
  double normalized_error() { return error_of(&Sums::normalized); }

 private:
  double error_of(double& (Sums::*of)(std::size_t)) {
    if (diverged() > 0) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> squares;
    for (std::size_t f = 1; f < frames; ++f) squares.push_back((this->*of)(f) / count(f));
    return l_tau(squares);
  }
};

Numbers Verdict::numbers() const {
  return {{"rollout_error", errors.every_frame},
          {"grid_error", errors.training_grid},
          {"mean_error", errors.mean()},
          {"normalized_rmse", normalized.every_frame},
          {"normalized_grid_rmse", normalized.training_grid},
          {"normalized_mean_rmse", normalized.mean()},
          {"evaluations", evaluations},
          {"diverged", diverged}};
}

std::string advice(const RolloutErrors& best, const RolloutErrors& last, const std::string& folder) {
  if (!best.known() || !last.known()) return "";
  const bool between = last.every_frame < best.every_frame, on = last.training_grid < best.training_grid;
  if (between == on) return "";  // the best itself, or worse by both
  const auto pair = [](double l, double b) { return fmt::format("{:.4g} against {:.4g}", l, b); };
  return fmt::format(
      "{0}/last is better than {0}/best {1} ({2}) and worse {3} ({4}): take {0}/{5} for times between the "
      "training frames, {0}/{6} for steps as long as in training",
      folder, between ? "on every frame" : "on the training grid",
      between ? pair(last.every_frame, best.every_frame) : pair(last.training_grid, best.training_grid),
      between ? "on the training grid" : "on every frame",
      between ? pair(last.training_grid, best.training_grid) : pair(last.every_frame, best.every_frame),
      between ? "last" : "best", between ? "best" : "last");
}

void Validation::Grid::add(Truth truth) {
  longest = std::max(longest, truth.times.size());
  truths.push_back(std::move(truth));
}

Validation::Validation(const RunData& run_data, const RunOptions& o) {
  if (o.validation.steps < 0) return;
  data::Trajectories trajectories(run_data.source, {}, 0, false);
  const auto& samples = run_data.splits.validation;
  const auto count = std::min<std::size_t>(samples.size(), static_cast<std::size_t>(o.validation.samples));
  for (std::size_t i = 0; i < count; ++i) {
    interrupt::throw_if_requested("the run had not begun");
    const auto whole = trajectories.get(samples[i]);
    auto frames = whole->times.size();
    if (o.validation.frames > 0) frames = std::min(frames, static_cast<std::size_t>(o.validation.frames) + 1);
    if (frames < 2) continue;
    const Tensor values =
        torch::from_blob(const_cast<float*>(whole->values.data()), shape_of(run_data.spec.state, frames));
    every_frame_.add({values.clone(),
                      {whole->times.begin(), whole->times.begin() + static_cast<std::ptrdiff_t>(frames)},
                      whole->context});
    if (o.downsampling.factor > 1) add_kept(samples[i], whole->times.size(), o);
  }
  if (wanted()) measure_spread();
  longest_step_ = *std::ranges::max_element(o.loader.strides);
  const auto& state = run_data.spec.state;
  solver_ = o.solver.build(solvers::Context{.delta_min = state.delta_min,
                                            .largest_step = state.step_bound(),
                                            .time_unit = run_data.spec.time_unit()});
}

// Over the predicted frames.
void Validation::measure_spread() {
  std::vector<metrics::Spread> channels;
  for (const auto& truth : every_frame_.truths) {
    const Tensor values = truth.frames.slice(0, 1).to(torch::kDouble).transpose(0, 1).flatten(1);
    channels.resize(static_cast<std::size_t>(values.size(0)));
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const Tensor own = values[static_cast<std::int64_t>(c)], mean = own.mean();
      channels[c].merge({static_cast<double>(own.numel()), mean.item<double>(),
                         (own - mean).square().sum().item<double>()});
    }
  }
  std::vector<double> units;
  for (const auto& channel : channels) units.push_back(channel.unit());
  std::vector<std::int64_t> shape(static_cast<std::size_t>(every_frame_.truths.front().frames.dim() - 1), 1);
  shape[0] = -1;
  units_ = torch::tensor(units, torch::kDouble).view(shape);
}

Validation::Baselines Validation::baselines(const model::TrainedModel& model) const {
  if (!wanted()) return {};
  const Tensor mean =
      torch::tensor(rollout::on_tensors(model)->state_mean(), torch::kDouble).view(units_.sizes());
  Sums persistence(every_frame_.longest), mean_state(every_frame_.longest);
  for (const auto& truth : every_frame_.truths) {
    persistence.add(truth.frames.slice(0, 0, 1), truth.frames, units_);
    mean_state.add(mean, truth.frames, units_);
  }
  const Grid& seen = training_grid_.truths.empty() ? every_frame_ : training_grid_;
  Sums change(2);
  for (const auto& truth : seen.truths) {
    const auto last = std::min(longest_step_, truth.frames.size(0) - 1);
    change.add(truth.frames.slice(0, 0, 1),
               truth.frames.index_select(0, torch::tensor({std::int64_t{0}, last})), units_);
  }
  return {persistence.normalized_error(), mean_state.normalized_error(), change.normalized_error()};
}

// Of the frames of `every_frame_`'s newest sample, those that training would see.
void Validation::add_kept(std::size_t sample, std::size_t source_frames, const RunOptions& o) {
  const Truth& all = every_frame_.truths.back();
  Truth kept;
  std::vector<std::int64_t> indices;
  for (const auto frame :
       data::kept_frames(o.downsampling, source_frames, static_cast<std::uint64_t>(o.seed), sample)) {
    if (frame >= all.times.size()) break;
    indices.push_back(static_cast<std::int64_t>(frame));
    kept.times.push_back(all.times[frame]);
  }
  if (indices.size() < 2) return;
  kept.frames = all.frames.index_select(0, torch::tensor(indices));
  kept.context = all.context;
  training_grid_.add(std::move(kept));
}

Verdict Validation::judge(const model::TrainedModel& model, ProcessGroup& group) const {
  const torch::NoGradGuard no_gradients;
  const EvaluationMode mode(*model.field);
  Sums every = sums_over(every_frame_, model, group);
  Verdict out{.errors = {every.error(), every.error()},
              .normalized = {every.normalized_error(), every.normalized_error()},
              .evaluations = every.evaluations() / every.intervals(),
              .diverged = every.diverged()};
  if (!training_grid_.truths.empty()) {
    Sums kept = sums_over(training_grid_, model, group);
    out.errors.training_grid = kept.error();
    out.normalized.training_grid = kept.normalized_error();
    out.diverged += kept.diverged();
  }
  return out;
}

Validation::Sums Validation::sums_over(const Grid& grid, const model::TrainedModel& model,
                                       ProcessGroup& group) const {
  Sums sums(grid.longest);
  try {
    add_share(sums, grid, model, static_cast<std::size_t>(group.rank()),
              static_cast<std::size_t>(group.size()));
  } catch (const Interrupted&) {
    sums.interrupted() = 1;
  }
  sums.numbers = group.sum(std::move(sums.numbers));
  if (sums.interrupted() > 0) throw Interrupted("interrupted while the validation samples were rolled out");
  return sums;
}

// The samples of one rank: every size-th.
void Validation::add_share(Sums& sums, const Grid& grid, const model::TrainedModel& model, std::size_t rank,
                           std::size_t size) const {
  const auto& truths = grid.truths;
  std::vector<Tensor> starts;
  rollout::Times times;
  rollout::SampleContexts contexts;
  for (std::size_t i = rank; i < truths.size(); i += size) {
    starts.push_back(truths[i].frames[0]);
    times.push_back(truths[i].times);
    contexts.push_back(truths[i].context);
  }
  if (starts.empty()) return;
  const rollout::Setup setup{
      .model = rollout::on_tensors(model), .solver = *solver_, .kept = "the validation was not finished"};
  const auto forecast =
      rollout::time_informed(setup, rollout::array_of(torch::stack(starts)), times, contexts);
  const Tensor predicted = rollout::tensor_of(forecast.states);
  for (std::size_t row = 0; row < times.size(); ++row) {
    const Tensor& truth = truths[rank + row * size].frames;
    const Tensor states = predicted[static_cast<std::int64_t>(row)].narrow(0, 0, truth.size(0));
    sums.add(states, truth, units_);
    for (std::size_t f = 1; f < forecast.frames[row].size(); ++f) {
      sums.evaluations() += static_cast<double>(forecast.frames[row][f].counts.evaluations);
      ++sums.intervals();
    }
  }
}

}  // namespace cvf::train

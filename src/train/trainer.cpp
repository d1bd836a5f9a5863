#include "train/trainer.hpp"

#include <cmath>
#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "train/checkpoint.hpp"
#include "train/failure.hpp"
#include "train/learner.hpp"
#include "train/teller.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;

// Seconds of training over all parts of a run. Runs from its construction on: it cannot be read before.
class Stopwatch {
 public:
  explicit Stopwatch(const std::string& clock) : of_cpu_(clock == "cpu") {}
  void restart(double before) {
    before_ = before;
    begun_ = now();
  }
  double seconds() const { return before_ + now() - begun_; }

 private:
  double now() const { return of_cpu_ ? clock::cpu_of_process() : clock::wall(); }
  bool of_cpu_;
  double before_ = 0, begun_ = now();
};

class Trainer {
 public:
  Trainer(RunOptions options, std::string folder, ProcessGroup& group, const Claim& claim);
  Outcome run();

 private:
  Outcome all_steps();
  bool begin();  // false: the run was finished before
  void go_on_from(const Checkpoint& checkpoint);
  void keep_metric();
  void finish_again();
  std::vector<Bound> bounds_reached() const;
  SkillErrors skill(const Validation::Baselines& baselines) const;
  Numbers ending() const { return {{"seconds", position_.seconds}, {"best_error", position_.best_error}}; }
  void check_fit() const;
  void look_at_clock();
  bool at_a_bound() const { return position_.step >= total_steps_ || elapsed_ >= 1; }
  // A kill between the end of a budget of time and the last step leaves a run that lacks that step.
  bool finished() const {
    return position_.step >= total_steps_ || (elapsed_ >= 1 && position_.last_step_done);
  }
  double progress() const;

  StepResult step();
  [[noreturn]] void fail(const NotFinite& failure);
  void after(const StepResult& result);
  void validate();
  void save();
  [[noreturn]] void stop();
  bool due(std::int64_t every) const { return every > 0 && position_.step % every == 0; }

  RunOptions options_;
  std::string folder_;
  ProcessGroup& group_;
  RunData run_data_;
  Learner learner_;
  model::TrainedModel& model_ = learner_.model;
  Validation validation_;
  std::optional<OwnFolder> own_;  // the leader's
  std::int64_t total_steps_ = 0, validate_every_ = 0;
  Position position_;
  std::unique_ptr<Teller> teller_;

  std::int64_t saved_step_ = -1;  // of the newest checkpoint; negative: there is none
  double saved_ = clock::wall();
  Stopwatch stopwatch_;
  double last_loss_ = 0;
  RolloutErrors last_errors_;
  double elapsed_ = 0;  // share of a budget of time
};

Trainer::Trainer(RunOptions options, std::string folder, ProcessGroup& group, const Claim& claim)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      group_(group),
      run_data_(prepare(options_, claim.anew ? "" : folder_)),
      learner_(options_, run_data_, group),
      validation_(run_data_, options_),
      stopwatch_(options_.length.clock) {
  position_.best_metric = options_.validation.metric;
  options_.split = data::explicit_options(run_data_.splits, options_.split.hold_out);
  model_.run_toml = options_.to_toml();
  const auto per_epoch = static_cast<std::int64_t>(learner_.feed.loader().batches_per_epoch());
  const auto batches = per_epoch * options_.length.epochs;
  total_steps_ = options_.length.steps > 0 ? options_.length.steps
                                           : std::max<std::int64_t>(1, batches / options_.length.accumulate);
  validate_every_ = options_.validation.steps == 0 ? std::max<std::int64_t>(1, total_steps_ / 10)
                                                   : options_.validation.steps;
  check_fit();
  if (group_.leads()) own_.emplace(folder_, claim);
  group_.barrier();  // nobody looks for checkpoints before those of an earlier run are gone
}

void Trainer::check_fit() const {
  if (model_.field->conditioned() != learner_.objective->needs().conditioned) {
    throw ConfigError(
        "field.conditioned = {} does not fit objective '{}': leave it out, or set objective.conditioned",
        model_.field->conditioned(), options_.objective.name);
  }
  if (group_.leads()) {
    for (const auto& note : run_data_.notes) log::note("{}", note);
  }
  check_same_data(group_, run_data_);
  check_resources(needed_for(options_, run_data_, learner_, group_.size()), folder_);
}

// ---- from nothing, or from a checkpoint

bool Trainer::begin() {
  const auto checkpoint = newest_checkpoint(folder_);
  check_same_start(group_, checkpoint);
  if (checkpoint) {
    go_on_from(*checkpoint);
    if (finished() && !position_.validation_due) {
      finish_again();
      return false;
    }
    learner_.feed.loader().seek(position_.cursor);
    log::note("{}: going on from step {}", folder_, position_.step);
  } else {
    fit_statistics(*model_.normalizer, learner_.feed, group_);
    position_.data_hash = run_data_.spec.state.data_hash;
  }
  position_.batch = options_.loader.batch;
  if (group_.leads()) {
    files::write_atomically(folder_ + "/run.toml", model_.run_toml);
    files::write_atomically(folder_ + "/versions.txt", versions());
  }
  teller_ = std::make_unique<Teller>(group_.leads() ? folder_ : "", options_, learner_.feed.loader(),
                                     position_.step, total_steps_);
  teller_->event(checkpoint ? "resume" : "start", position_.step,
                 {{"steps", static_cast<double>(total_steps_)}},
                 {{"objective", options_.objective.name}, {"data_hash", position_.data_hash}});
  stopwatch_.restart(position_.seconds);
  saved_ = clock::wall();
  if (position_.validation_due) {
    validate();
    save();
  }
  return true;
}

void Trainer::go_on_from(const Checkpoint& checkpoint) {
  check_same_run(checkpoint, model_.run_toml);
  position_ = checkpoint.position;
  if (position_.data_hash != run_data_.spec.state.data_hash) {
    throw DataError("{}: is not the file that {} was trained on: its hash has changed", options_.data.file,
                    folder_);
  }
  keep_metric();
  restore(checkpoint, model_, learner_.optimizer);
  learner_.batches = position_.batches;
  saved_step_ = position_.step;
  if (group_.leads()) settle_checkpoint(folder_, position_.step, options_.checkpoint.keep);
  stopwatch_.restart(position_.seconds);
  look_at_clock();
}

// The errors of the best model so far would not compare with those by another metric.
void Trainer::keep_metric() {
  if (position_.best_metric == options_.validation.metric) return;
  if (group_.leads()) {
    log::note("{}: the best model goes on to be chosen by validation.metric = \"{}\", as the run was begun",
              folder_, position_.best_metric);
  }
  options_.validation.metric = position_.best_metric;
  model_.run_toml = options_.to_toml();
}

// What a kill after the last checkpoint prevented.
void Trainer::finish_again() {
  if (!group_.leads() || Journal::has(folder_, "end", position_.step)) return;
  Journal(folder_, position_.step).event("end", position_.step, ending());
}

std::vector<Bound> Trainer::bounds_reached() const {
  const auto& length = options_.length;
  const bool by_steps = length.steps > 0;
  const double steps = static_cast<double>(position_.step) / static_cast<double>(total_steps_);
  std::vector<Bound> out;
  if (steps >= 1 && by_steps) out.push_back({"train.steps", static_cast<double>(length.steps), steps});
  if (steps >= 1 && !by_steps) out.push_back({"train.epochs", static_cast<double>(length.epochs), steps});
  if (elapsed_ >= 1) out.push_back({"train.minutes", length.minutes, elapsed_});
  return out;
}

// Checkpoints of before normalised errors hold none.
SkillErrors Trainer::skill(const Validation::Baselines& baselines) const {
  const bool has_best = position_.best_error >= 0;
  if (!validation_.wanted() || (has_best && !position_.best_normalized.known())) return {};
  SkillErrors out{.persistence = baselines.persistence, .mean_state = baselines.mean_state};
  if (has_best) out.model = position_.best_normalized.every_frame;
  out.diverged = !has_best;
  return out;
}

// A budget of time is counted by the leader's clock: ranks must agree on when to stop and on the rate of
// every step.
void Trainer::look_at_clock() {
  if (options_.length.minutes > 0)
    elapsed_ = group_.sum(group_.leads() ? stopwatch_.seconds() : 0) / (options_.length.minutes * 60);
}

double Trainer::progress() const {
  const double by_steps = static_cast<double>(position_.step + 1) / static_cast<double>(total_steps_);
  return std::min(1.0, std::max(by_steps, elapsed_));
}

StepResult Trainer::step() {
  try {
    const StepResult out = learner_.step(rate_factor(options_.schedule, progress()), progress());
    ++position_.step;
    position_.batches = learner_.batches;
    position_.cursor = learner_.feed.loader().cursor();
    look_at_clock();
    return out;
  } catch (const NotFinite& failure) {
    fail(failure);
  } catch (const Abandoned&) {
    stop();
  }
}

// Ends where the last whole step ended.
void Trainer::stop() {
  if (position_.step == 0 && saved_step_ < 0)
    throw Interrupted("{}: stopped before the first step was done; there was nothing to save", folder_);
  if (saved_step_ != position_.step || position_.validation_due) save();
  throw Interrupted("{}: stopped after step {} and saved; the same command goes on from there", folder_,
                    position_.step);
}

void Trainer::fail(const NotFinite& failure) {
  const Scene scene{model_, *learner_.objective, learner_.batch,
                    learner_.draws[static_cast<std::size_t>(failure.member)], failure.member};
  const std::string what =
      failure.what + (model_.spec.members > 1 ? fmt::format(" in member {}", failure.member) : "");
  const std::string place = first_non_finite(scene), samples = words(learner_.ids);
  const std::string file = save_scene(scene, folder_, position_.step + 1, samples);
  teller_->event("failure", position_.step + 1, {}, {{"what", what}, {"place", place}, {"samples", samples}});
  throw NumericsError("step {}: {}; first at {}; samples {}; {}, and cvf train --replay {} shows it again",
                      position_.step + 1, what, place, samples,
                      saved_step_ < 0 ? "there is no checkpoint yet"
                                      : fmt::format("the checkpoint of step {} is kept", saved_step_),
                      text::shell_quoted(file));
}

// ---- around the steps

void Trainer::after(const StepResult& result) {
  if (own_) own_->check();
  last_loss_ = result.losses.front().second;
  const bool last = at_a_bound();
  if (due(options_.log.steps) || last) teller_->tell(result, position_, stopwatch_.seconds());
  if (due(options_.log.diagnostics)) {
    teller_->event("diagnostics", position_.step,
                   diagnose(learner_.scaled_field(), learner_.batch, run_data_.spec.state.dt_ref));
    learner_.optimizer.clear_gradients();
  }
  if (validation_.wanted() && validate_every_ > 0 && (due(validate_every_) || last)) validate();
  const double minutes = options_.checkpoint.minutes;
  const bool overdue = group_.any(minutes > 0 && clock::wall() - saved_ > 60 * minutes);
  if (due(options_.checkpoint.steps) || overdue || last || result.stop) save();
  teller_->advance(stopwatch_.seconds());
  if (result.stop && !last) stop();
}

void Trainer::validate() {
  learner_.optimizer.swap_average();
  Verdict verdict;
  try {
    verdict = validation_.judge(model_, group_);
  } catch (const Interrupted&) {
    learner_.optimizer.swap_average();
    position_.validation_due = true;
    stop();
  }
  position_.validation_due = false;
  teller_->event("validation", position_.step, verdict.numbers());
  last_errors_ = verdict.by(position_.best_metric);
  const double error = last_errors_.mean();
  if (verdict.comparable() && (position_.best_error < 0 || error < position_.best_error)) {
    position_.best_error = error;
    position_.best = verdict.errors;
    position_.best_normalized = verdict.normalized;
    position_.best_step = position_.step;
    model_.spec.provenance["step"] = fmt::format("{}", position_.step);
    if (group_.leads()) model::save(model_, folder_ + "/best");
    model_.spec.provenance.erase("step");
  }
  learner_.optimizer.swap_average();
}

void Trainer::save() {
  position_.seconds = stopwatch_.seconds();
  position_.last_step_done = at_a_bound();
  saved_ = clock::wall();
  saved_step_ = position_.step;
  if (group_.leads())
    save_checkpoint(folder_, model_, learner_.optimizer, position_, options_.checkpoint.keep);
  group_.barrier();
}

Outcome Trainer::run() {
  try {
    return all_steps();
  } catch (...) {
    if (own_) own_->check();  // then that is why
    throw;
  }
}

Outcome Trainer::all_steps() {
  const std::int64_t before = begin() ? position_.step : -1;
  const double begun = clock::wall();
  if (before >= 0) {
    model_.field->train();
    while (!finished()) after(step());
    if (own_) own_->check();
    teller_->event("end", position_.step, ending());
  }
  const auto baselines = validation_.baselines(model_);
  return {.steps = position_.step,
          .steps_here = before >= 0 ? position_.step - before : 0,
          .seconds = position_.seconds,
          .samples_per_s =
              before >= 0 ? teller_->samples_between(before, position_.step) / (clock::wall() - begun) : 0,
          .loss = last_loss_,
          .metric = position_.best_metric,
          .best = position_.best_metric == "rollout_rmse" ? position_.best : position_.best_normalized,
          .last = last_errors_,
          .best_step = position_.best_step,
          .bounds = bounds_reached(),
          .skill = skill(baselines),
          .change = baselines.change};
}

}  // namespace

std::string continuation(const std::vector<Bound>& bounds) {
  std::string reached, more;
  for (const auto& bound : bounds) {
    reached += fmt::format("{}{} = {:.15g}", reached.empty() ? "" : " and ", bound.key, bound.value);
    more += fmt::format("{}--set {}={:.15g}", more.empty() ? "" : " ", bound.key,
                        2 * bound.value * std::max(1.0, std::round(bound.done)));
  }
  return fmt::format("{}; {} continues it", reached, more);
}

Outcome train(RunOptions options, const std::string& folder, ProcessGroup& group, const Claim& claim) {
  check_same_settings(group, options.to_toml());
  return Trainer(std::move(options), folder, group, claim).run();
}

}  // namespace cvf::train

#include "train/trainer.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "core/version.hpp"
#include "train/checkpoint.hpp"
#include "train/diagnostics.hpp"
#include "train/failure.hpp"
#include "train/foresight.hpp"
#include "train/journal.hpp"
#include "train/learner.hpp"
#include "train/materials.hpp"
#include "train/resume.hpp"
#include "train/statistics.hpp"
#include "train/validation.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Trainer {
 public:
  Trainer(RunOptions options, std::string folder, Team& team);
  Outcome run();

 private:
  bool begin();  // false: the run was finished before
  void check_fit() const;
  void look_at_clock();
  bool finished() const;
  double progress() const;
  double seconds() const { return position_.seconds + seconds_since(started_); }

  StepResult step();
  [[noreturn]] void fail(const std::string& what);
  void after(const StepResult& result);
  double samples_between(std::int64_t first, std::int64_t last) const;
  void tell(const StepResult& result);
  void validate();
  void save();
  bool due(std::int64_t every) const { return every > 0 && position_.step % every == 0; }

  RunOptions options_;
  std::string folder_;
  Team& team_;
  Materials materials_;
  Learner learner_;
  model::TrainedModel& model_ = learner_.model;
  Validation validation_;
  std::int64_t total_steps_ = 0, validate_every_ = 0;
  Position position_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Progress> bar_;

  Clock::time_point started_ = Clock::now(), saved_ = Clock::now(), told_ = Clock::now();
  std::int64_t told_step_ = 0;
  double told_wait_ = 0;
  double last_loss_ = 0;
  RolloutErrors last_errors_;
  double elapsed_ = 0;  // share of a wall-clock budget
};

Trainer::Trainer(RunOptions options, std::string folder, Team& team)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      team_(team),
      materials_(prepare(options_, folder_)),
      learner_(options_, materials_, team),
      validation_(materials_, options_) {
  options_.split = data::explicit_options(materials_.splits);
  model_.run_toml = options_.to_toml();
  const auto per_epoch = static_cast<std::int64_t>(learner_.feed.loader().batches_per_epoch());
  const auto batches = per_epoch * options_.length.epochs;
  total_steps_ = options_.length.steps > 0 ? options_.length.steps
                                           : std::max<std::int64_t>(1, batches / options_.length.accumulate);
  validate_every_ = options_.validation.steps == 0 ? std::max<std::int64_t>(1, total_steps_ / 10)
                                                   : options_.validation.steps;
  check_fit();
}

void Trainer::check_fit() const {
  if (model_.field->conditioned() != learner_.objective->needs().conditioned) {
    throw ConfigError(
        "field.conditioned = {} does not fit objective '{}': leave it out, or set objective.conditioned",
        model_.field->conditioned(), options_.objective);
  }
  if (team_.leads()) {
    fs::create_directories(folder_);
    for (const auto& note : materials_.notes) log::note("{}", note);
  }
  team_.barrier();
  const auto& description = materials_.source->description();
  const auto portion =
      learner_.portions(std::max<std::int64_t>(1, options_.loader.batch / team_.size())).front();
  const auto rows = static_cast<double>(portion.second - portion.first);
  const double checkpoint = checkpoint_bytes(model_, learner_.optimizer);
  double data = 0;
  for (const auto sample : materials_.splits.train) {
    data += static_cast<double>(description.frames[sample] /
                                static_cast<std::size_t>(options_.downsampling.factor)) *
            static_cast<double>(description.frame_size()) * sizeof(float);
  }
  foresee({.parameters = static_cast<double>(model_.field->parameter_count()) * 4,
           .copies = options_.length.average > 0 ? 6.0 : 5.0,
           .activations = model_.field->training_bytes(rows * learner_.objective->needs().evaluations),
           .loader = std::min(data, static_cast<double>(options_.loader.memory_mb) * 1e6),
           .checkpoint = checkpoint,
           .checkpoints = options_.checkpoint.keep + 2},
          folder_);
}

// ---- from nothing, or from a checkpoint

bool Trainer::begin() {
  const auto checkpoint = newest_checkpoint(folder_);
  if (checkpoint) {
    check_same_run(*checkpoint, model_.run_toml);
    position_ = checkpoint->position;
    if (position_.data_hash != materials_.recipe.state.data_hash) {
      throw DataError("{}: is not the file that {} was trained on: its hash has changed", options_.data.file,
                      folder_);
    }
    restore(*checkpoint, model_, learner_.optimizer);
    learner_.batches = position_.batches;
    look_at_clock();
    if (finished()) return false;
    learner_.feed.loader().seek(position_.cursor);
    log::note("{}: going on from step {}", folder_, position_.step);
  } else {
    fit_statistics(*model_.normalizer, learner_.feed, team_);
    position_.data_hash = materials_.recipe.state.data_hash;
  }
  position_.batch = options_.loader.batch;
  journal_ =
      std::make_unique<Journal>(team_.leads() ? folder_ : "", position_.step, options_.log.tensorboard);
  if (team_.leads()) {
    files::write_atomically(folder_ + "/run.toml", model_.run_toml);
    files::write_atomically(folder_ + "/versions.txt", versions());
    journal_->event(checkpoint ? "resume" : "start", position_.step,
                    {{"steps", static_cast<double>(total_steps_)}},
                    {{"objective", options_.objective}, {"data_hash", position_.data_hash}});
    bar_ = std::make_unique<Progress>(options_.objective, static_cast<std::uint64_t>(total_steps_), "steps",
                                      static_cast<std::uint64_t>(position_.step));
  }
  started_ = saved_ = told_ = Clock::now();
  told_step_ = position_.step;
  told_wait_ = learner_.feed.loader().seconds_waited();
  return true;
}

// A wall-clock budget is the leader's clock: ranks must agree on when to stop and on the rate of every step.
void Trainer::look_at_clock() {
  if (options_.length.minutes > 0)
    elapsed_ = team_.sum(team_.leads() ? seconds() : 0) / (options_.length.minutes * 60);
}

bool Trainer::finished() const {
  return position_.step >= total_steps_ || elapsed_ >= 1;
}

double Trainer::progress() const {
  const double by_steps = static_cast<double>(position_.step + 1) / static_cast<double>(total_steps_);
  return std::min(1.0, std::max(by_steps, elapsed_));
}

// ---- one step

StepResult Trainer::step() {
  try {
    const StepResult out = learner_.step(rate_factor(options_.schedule, progress()), interrupt::requested());
    ++position_.step;
    position_.batches = learner_.batches;
    position_.cursor = learner_.feed.loader().cursor();
    look_at_clock();
    return out;
  } catch (const NotFinite& trouble) {
    fail(trouble.what);
  }
}

void Trainer::fail(const std::string& what) {
  const Scene scene{model_, *learner_.objective, learner_.batch, learner_.draws};
  const std::string place = first_non_finite(scene), samples = words(learner_.ids);
  const std::string file = save_scene(scene, folder_, position_.step + 1, samples);
  journal_->event("failure", position_.step + 1, {},
                  {{"what", what}, {"place", place}, {"samples", samples}});
  throw NumericsError(
      "step {}: {}; first at {}; samples {}; the last good checkpoint is kept, and cvf train --replay {} "
      "shows it "
      "again",
      position_.step + 1, what, place, samples, file);
}

// ---- around the steps

void Trainer::after(const StepResult& result) {
  last_loss_ = result.losses.front().second;
  const bool last = finished();
  if (due(options_.log.steps) || last) tell(result);
  if (due(options_.log.diagnostics)) {
    journal_->event("diagnostics", position_.step,
                    diagnose(learner_.view(), learner_.batch, materials_.recipe.state.dt_ref));
    learner_.optimizer.clear_gradients();
  }
  if (validation_.wanted() && validate_every_ > 0 && (due(validate_every_) || last)) validate();
  const double minutes = options_.checkpoint.minutes;
  const bool overdue = team_.any(minutes > 0 && seconds_since(saved_) > 60 * minutes);
  if (due(options_.checkpoint.steps) || overdue || last || result.stop) save();
  if (bar_) bar_->advance();
  if (result.stop && !last) {
    throw Interrupted("{}: stopped after step {} and saved; the same command goes on from there", folder_,
                      position_.step);
  }
}

double Trainer::samples_between(std::int64_t first, std::int64_t last) const {
  return static_cast<double>((last - first) * options_.length.accumulate * options_.loader.batch);
}

void Trainer::tell(const StepResult& result) {
  const double passed = seconds_since(told_);
  const double rows = samples_between(told_step_, position_.step);
  Numbers row{{"epoch", static_cast<double>(position_.batches) /
                            static_cast<double>(learner_.feed.loader().batches_per_epoch())},
              {"seconds", seconds()}};
  row.insert(row.end(), result.losses.begin(), result.losses.end());
  row.emplace_back("gradient_norm", result.norm);
  row.emplace_back("rate", result.rate);
  row.emplace_back("samples_per_s", rows / passed);
  row.emplace_back("wait_share", (learner_.feed.loader().seconds_waited() - told_wait_) / passed);
  journal_->row(position_.step, row);
  if (bar_) {
    std::string remark;
    for (const auto& [name, value] : result.losses) remark += fmt::format("{} {:.4g}  ", name, value);
    if (position_.best_error >= 0) remark += fmt::format("best {:.4g}  ", position_.best_error);
    bar_->remark(fmt::format("{}{:.4g} samples/s", remark, rows / passed));
  }
  told_ = Clock::now();
  told_step_ = position_.step;
  told_wait_ = learner_.feed.loader().seconds_waited();
}

void Trainer::validate() {
  learner_.optimizer.swap_average();
  const Verdict verdict = validation_.judge(model_, team_);
  journal_->event("validation", position_.step, verdict.numbers());
  last_errors_ = verdict.errors;
  const double error = verdict.errors.mean();
  if (verdict.comparable() && (position_.best_error < 0 || error < position_.best_error)) {
    position_.best_error = error;
    position_.best = verdict.errors;
    position_.best_step = position_.step;
    model_.recipe.provenance["step"] = fmt::format("{}", position_.step);
    if (team_.leads()) model::save(model_, folder_ + "/best");
    model_.recipe.provenance.erase("step");
  }
  learner_.optimizer.swap_average();
}

void Trainer::save() {
  position_.seconds = seconds();
  started_ = saved_ = Clock::now();
  if (team_.leads())
    save_checkpoint(folder_, model_, learner_.optimizer, position_, options_.checkpoint.keep);
  team_.barrier();
}

Outcome Trainer::run() {
  const std::int64_t before = begin() ? position_.step : -1;
  const auto begun = Clock::now();
  if (before >= 0) {
    model_.field->train();
    while (!finished()) after(step());
    journal_->event("end", position_.step,
                    {{"seconds", position_.seconds}, {"best_error", position_.best_error}});
  }
  return {.steps = position_.step,
          .steps_here = before >= 0 ? position_.step - before : 0,
          .seconds = position_.seconds,
          .samples_per_s = before >= 0 ? samples_between(before, position_.step) / seconds_since(begun) : 0,
          .loss = last_loss_,
          .best = position_.best,
          .last = last_errors_,
          .best_step = position_.best_step};
}

}  // namespace

Outcome train(RunOptions options, const std::string& folder, Team& team) {
  return Trainer(std::move(options), folder, team).run();
}

}  // namespace cvf::train

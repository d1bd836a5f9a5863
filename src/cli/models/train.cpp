#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/models/evaluation.hpp"
#include "cli/models/skill.hpp"
#include "cli/programs.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "train/distributed/launcher.hpp"
#include "train/failure.hpp"
#include "train/run_data.hpp"
#include "train/trainer.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;

struct Train {
  std::string run_file, out, replay;
  std::vector<std::string> sets;
  std::int64_t seed = -1;
  int local_ranks = 0, wait = 0;
  bool print_config = false, overwrite = false, data_only = false;

  train::RunOptions options() const {
    auto document = config::Document::from_file(run_file);
    if (seed >= 0) document.set(fmt::format("seed={}", seed));
    for (const auto& assignment : sets) document.set(assignment);
    return train::RunOptions::read(document);
  }

  std::string folder() const { return out.empty() ? "runs/" + fs::path(run_file).stem().string() : out; }

  void show_again() const {
    const auto seen = train::replay(replay);
    fmt::print("step {}, samples {}\nloss {}, gradient norm {}\nfirst number that is not finite: {}\n",
               seen.step, seen.samples, seen.loss, seen.gradient_norm, seen.place);
  }

  void run() const {
    if (!replay.empty()) {
      tensors::prepare();
      return show_again();
    }
    if (run_file.empty())
      throw UsageError("RUN.toml is missing: the file that says what to train; see configs/");
    auto wanted = options();
    if (print_config) {
      if (fs::exists(wanted.data.file)) train::prepare(wanted, overwrite ? "" : folder());
      fmt::print("{}", wanted.to_toml());
      return;
    }
    if (train::membership().rank == 0) train::provide_data(wanted);
    if (data_only) return;
    if (local_ranks > 1 && train::run_local_ranks(local_ranks)) return;
    tensors::prepare();
    const auto afterwards = wanted.evaluation;
    const auto data = wanted.data;
    const auto outcome = train_all(std::move(wanted));  // its group has parted: nobody waits for what follows
    if (!outcome) return;
    auto warning = evaluate_at_the_end(folder(), afterwards);
    if (warning.empty()) warning = warning_of(*outcome, data);
    if (!warning.empty()) log::warning("{}: {}", folder(), warning);
  }

  // By the validation samples.
  std::string warning_of(const train::Outcome& o, const data::DataOptions& data) const {
    if (cvf::lack_of_skill(o.skill, {}).empty()) return "";
    const auto source = train::open_data(data);
    return cvf::lack_of_skill(
        o.skill, facts_of({folder(), files::read_whole(folder() + "/run.toml"), *source}, o.change));
  }

  // Of the leader.
  std::optional<train::Outcome> train_all(train::RunOptions wanted) const {
    auto group = train::ProcessGroup::join(folder());
    const train::Claim claim{overwrite, std::chrono::seconds(wait), {run_file, wanted.data.file}};
    auto outcome = train::train(std::move(wanted), folder(), group, claim);
    if (!group.leads()) return std::nullopt;
    tell(outcome, group.size());
    return outcome;
  }

  void tell(const train::Outcome& o, int ranks) const {
    if (o.steps_here == 0) {
      return log::note("{}: was finished before, after {} steps, by {}", folder(), o.steps,
                       train::continuation(o.bounds));
    }
    log::note(
        "{}: {} steps in {}, loss {:.4g}{}", folder(), o.steps, text::duration(o.seconds), o.loss,
        o.best.known()
            ? fmt::format(", best validation error {:.4g} ({}) at step {} ({:.4g} on every frame, "
                          "{:.4g} on the training grid)",
                          o.best.mean(), o.metric, o.best_step, o.best.every_frame, o.best.training_grid)
            : "");
    const std::string which = train::advice(o.best, o.last, folder());
    if (!which.empty()) log::note("{}", which);
    if (ranks > 1) {
      log::note("{} ranks: {:.4g} samples/s, {:.4g} by each", ranks, o.samples_per_s,
                o.samples_per_s / ranks);
    }
  }
};

}  // namespace

void add_train(CLI::App& app) {
  CLI::App& verb_app = add_verb(app, train_verb);
  const auto verb = bind<Train>(verb_app);
  verb_app.footer(
      "Example: cvf train configs/pendulum.toml --set train.steps=1000\n"
      "The run's folder (runs/pendulum here) holds run.toml, log.jsonl, metrics.csv, checkpoints, `last` "
      "and\n"
      "`best`, the model with the lowest error on the validation samples (validation.metric): the mean of\n"
      "that on every frame and that on the training grid. At the end it evaluates test samples for cvf\n"
      "report: evaluation.*\n"
      "(--set evaluation.samples=0 does not).\n"
      "SIGINT or SIGTERM: saves and ends with exit code 8; the same command continues, to the bit.\n"
      "Settings: cvf explain run. Ranks: --local-ranks N, or torchrun, mpirun, srun.\n"
      "A run file for a data file of yours: cvf init FILE.\n"
      "Next: cvf report pendulum, cvf evaluate pendulum, cvf rollout pendulum --out forecast.h5");
  verb_app.add_option("RUN", verb->run_file, "TOML file that says what to train");
  verb_app.add_option("--out", verb->out, "folder of the run (runs/NAME-OF-RUN)");
  verb_app.add_option("--set", verb->sets, "any setting, e.g. --set optimizer.learning_rate=1e-3")
      ->allow_extra_args(false);
  verb_app.add_option("--seed", verb->seed, "short for --set seed=N");
  verb_app.add_option("--local-ranks", verb->local_ranks, "start this many ranks on this machine")
      ->check(CLI::PositiveNumber);
  verb_app.add_option("--wait", verb->wait, "seconds to wait for another process that trains in the folder")
      ->check(CLI::NonNegativeNumber);
  verb_app.add_option("--replay", verb->replay, "evaluate the file that a failed run left");
  verb_app.add_flag("--print-config", verb->print_config, "print the resolved settings and stop");
  verb_app.add_flag("--data-only", verb->data_only, "make the data file if it is missing, and stop");
  verb_app.add_flag("--overwrite", verb->overwrite,
                    "begin anew: what an earlier run wrote into the folder goes, nothing else");
}

}  // namespace cvf::cli

#include <CLI/CLI.hpp>

#include "bench/field/memory.hpp"
#include "bench/field/run.hpp"
#include "bench/solvers/run.hpp"
#include "bench/train/run.hpp"
#include "cli/programs.hpp"
#include "cli/verbs.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"

namespace cvf::cli {
namespace {

struct BenchField {
  bench::FieldSettings settings;
  std::vector<std::string> only;
  std::string memory_of;

  void run() {
    interrupt::end_at_once();
    tensors::prepare();
    if (!memory_of.empty()) {
      threads::use(2);
      return bench::print_extra_memory(only.empty() ? "A" : only.front(), memory_of == "fused");
    }
    settings.only = {only.begin(), only.end()};
    bench::run_field(settings);
  }
};

struct BenchSolvers {
  bench::SolverSettings settings;

  void run() const {
    interrupt::end_at_once();
    tensors::prepare();
    bench::run_solvers(settings);
  }
};

struct BenchTrain {
  bench::TrainSettings settings;
  std::vector<std::string> only;

  void run() {
    interrupt::end_at_once();
    tensors::prepare();
    settings.only = {only.begin(), only.end()};
    bench::run_train(settings);
  }
};

void add_train_bench(CLI::App& verbs) {
  CLI::App& app = *verbs.add_subcommand("train", "a training step of each objective, relative to sm");
  const auto verb = bind<BenchTrain>(app);
  app.add_option("--only", verb->only, "configurations S, A, B, A1, comma separated")->delimiter(',');
  app.add_option("--batch", verb->settings.batch, "rows in a batch (the configuration's own)");
  app.add_option("--micro-batch", verb->settings.micro_batch,
                 "rows that go forward and backward together (train.micro_batch)");
  app.add_option("--repeats", verb->settings.repeats, "repeats of each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", verb->settings.json, "print one JSON object");
}

void add_solvers(CLI::App& verbs) {
  CLI::App& app = *verbs.add_subcommand("solvers", "what a step costs beside the field");
  const auto verb = bind<BenchSolvers>(app);
  app.add_option("--repeats", verb->settings.repeats, "repeats of each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", verb->settings.json, "print one JSON object");
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App& verbs = add_verb(app, bench_verb);
  verbs.require_subcommand(1);
  verbs.footer(
      "Example: cvf bench field --only S --repeats 3\n"
      "Medians of an idle machine mean something; make bench has the simulators and the loader, "
      "docs/speed.md "
      "what to expect.");
  verbs.fallthrough();
  CLI::App& field = *verbs.add_subcommand(
      "field", "the velocity field: fused against composed, and against the machine's peak");
  field.fallthrough(false);  // --threads is a list here
  const auto verb = bind<BenchField>(field);
  field.add_option("--threads", verb->settings.threads, "numbers of threads, comma separated")
      ->delimiter(',')
      ->capture_default_str();
  field
      .add_option("--only", verb->only,
                  "configurations S, A, B, A1, mlp, conv32x16 ... conv64x128, or a field's name")
      ->delimiter(',');
  field.add_option("--repeats", verb->settings.repeats, "repeats of each measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  field.add_flag("--cpu-time", verb->settings.cpu_time, "CPU seconds over threads instead of the wall clock");
  field.add_flag("--fused-only", verb->settings.fused_only, "leave the composed operations out");
  field.add_flag("--parts", verb->settings.parts, "also where the time goes");
  field.add_flag("--growth", verb->settings.growth, "time against tokens and width instead");
  field.add_option("--python", verb->settings.python,
                   "compare A with plain PyTorch, run by this interpreter, instead");
  field.add_flag("--json", verb->settings.json, "print one JSON object");
  field.add_option("--memory-of", verb->memory_of, "")
      ->group("");  // the process that a memory measurement starts
  add_solvers(verbs);
  add_train_bench(verbs);
}

}  // namespace cvf::cli

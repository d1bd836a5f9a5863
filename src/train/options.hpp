// Everything that a training run is made of, as one TOML file: RUN.toml, and resolved as run.toml in the
// run's folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "data/data_options.hpp"
#include "data/loader.hpp"
#include "data/splits.hpp"
#include "fields/field.hpp"
#include "generate/generate.hpp"
#include "normalizers/normalizer.hpp"
#include "objectives/objective.hpp"
#include "solvers/solver.hpp"
#include "train/optimizer.hpp"

namespace cvf::train {

using data::DataOptions;

/// How long, and in what batches and micro-batches.
struct LengthOptions {
  int epochs = 160;
  std::int64_t steps = 0;      // > 0: instead of epochs
  double minutes = 0;          // > 0: ends here at the latest, and the schedule is stretched over it
  std::string clock = "wall";  // what the minutes are counted by
  int accumulate = 1;          // batches behind one step of the optimizer
  std::int64_t micro_batch =
      0;                 // rows of a batch that go forward and backward together; 0: what suits the field
  double ema_decay = 0;  // decay of the averaged weights, which are then the model; 0: no averaging
  int members = 1;       // fields that learn from the same batches, each with random streams of its own

  void describe(config::Section& section);
};

/// How a run is judged while it trains.
struct ValidationOptions {
  std::int64_t steps = 0;                  // 0: ten times over the run; negative: never
  int samples = 16;                        // of the validation list, at most
  int frames = 0;                          // how far; 0 = to the end
  std::string metric = "normalized_rmse";  // whose mean over both grids of times is lowest for the best model

  void describe(config::Section& section);
};

/// What is done with the test samples once a run is over, so that a report has something to show.
struct EvaluationOptions {
  int samples = 32;  // of the test list, at most; 0: none
  int keep = 3;      // forecasts of so many are written, too

  void describe(config::Section& section);
};

struct CheckpointOptions {
  std::int64_t steps = 1000;  // 0: by minutes only
  double minutes = 5;         // 0: by steps only
  int keep = 2;

  void describe(config::Section& section);
};

struct LogOptions {
  std::int64_t steps = 50;         // a line of loss parts
  std::int64_t diagnostics = 500;  // rupture, NRE and its terms; 0: never
  bool tensorboard = false;

  void describe(config::Section& section);
};

struct RunOptions {
  std::int64_t seed = 0;
  std::string precision = "float32";
  DataOptions data;
  std::string generate_system = "none";  // makes data.file when it is missing
  generate::Options generate;
  data::SplitOptions split;
  data::DownsamplingOptions downsampling;
  data::LoaderOptions loader;
  fields::Choice field =
      "auto";  // conv on a grid, mlp for vectors; while nobody knows which: settings of conv
  std::string normalizer = "cascaded";
  normalizers::Options normalizer_options;
  objectives::Choice objective = "cvf";
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  LengthOptions length;
  ValidationOptions validation;
  EvaluationOptions evaluation;
  solvers::Choice solver = "auto";  // of validation and, later, of evaluation; auto: what suits the objective
  CheckpointOptions checkpoint;
  LogOptions log;
  bool epsilon_given = false;         // the file has normalizer.relative_epsilon
  std::vector<std::string> left_out;  // keys of sizes that the file does not have: see choose_sizes
  bool solver_left_out = false;       // to the default, which may be another than when a run was begun

  void describe(config::Section& section);

  /// Looks at data.file where `field.name` is auto.
  static RunOptions read(const config::Document& document);
  std::string to_toml();

 private:
  void describe_field(config::Section& section);
  void follow_objective();
  void note_left_out(const config::Document& document);
  bool field_follows_ = false, looking_ = false;
  std::string suited_field_;
};

}  // namespace cvf::train

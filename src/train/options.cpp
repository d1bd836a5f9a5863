#include "train/options.hpp"

#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "model/trained_model.hpp"
#include "objectives/default_solver.hpp"
#include "solvers/wanted.hpp"
#include "train/run_data.hpp"

namespace cvf::train {

void LengthOptions::describe(config::Section& s) {
  s.key("epochs", &epochs, "passes over the training rows", config::at_least(1));
  s.key("steps", &steps, "steps of the optimizer; 0 = by epochs", config::at_least(0));
  s.key("minutes", &minutes, "a budget of time: ends there, and the schedule is stretched over it; 0 = none",
        config::at_least(0));
  s.key("clock", &clock,
        "what time is counted by: wall, or cpu (the computing time of all threads of the process, for "
        "comparisons on a "
        "machine that others use)",
        config::one_of({"wall", "cpu"}));
  s.key("accumulate", &accumulate, "batches behind one step of the optimizer", config::at_least(1));
  s.key("micro_batch", &micro_batch,
        "rows of a batch that go forward and backward together: bounds memory; 0 = what suits the field",
        config::at_least(0));
  s.key("ema_decay", &ema_decay, "decay of averaged weights, which are then the model; 0 = none",
        config::between(0, 0.9999999));
  s.key("members", &members,
        "fields trained together on the same batches, each with weights and draws of its own: forecasts are "
        "their mean, with their spread",
        config::between(1, model::most_members));
}

void ValidationOptions::describe(config::Section& s) {
  s.key("steps", &steps, "every so many steps; 0 = ten times over the run, -1 = never", config::at_least(-1));
  s.key("samples", &samples, "trajectories of the validation list, at most", config::at_least(1));
  s.key("frames", &frames, "predicted frames; 0 = to the end", config::at_least(0));
  s.key("metric", &metric,
        "the error by which the best model is chosen: normalized_rmse (each channel in units of its spread), "
        "or "
        "rollout_rmse (L_tau: all channels in physical units)",
        config::one_of({"normalized_rmse", "rollout_rmse"}));
}

void EvaluationOptions::describe(config::Section& s) {
  s.key("samples", &samples, "test samples that are evaluated when the run ends, at most; 0 = none",
        config::at_least(0));
  s.key("keep", &keep, "of these, forecasts that are written for cvf report", config::at_least(0));
}

void CheckpointOptions::describe(config::Section& s) {
  s.key("steps", &steps, "save every so many steps; 0 = by minutes only", config::at_least(0));
  s.key("minutes", &minutes, "save at least every so many minutes; 0 = by steps only", config::at_least(0));
  s.key("keep", &keep, "newest checkpoints to keep", config::at_least(1));
}

void LogOptions::describe(config::Section& s) {
  s.key("steps", &steps, "a line of losses every so many steps", config::at_least(1));
  s.key("diagnostics", &diagnostics, "rupture and NRE every so many steps; 0 = never", config::at_least(0));
  s.key("tensorboard", &tensorboard, "write a TensorBoard event file too");
}

void RunOptions::describe(config::Section& s) {
  s.key("seed", &seed, "root of all random draws", config::between(0, 4e9));
  s.key("precision", &precision, "type of the weights", config::one_of({"float32", "float64"}));
  s.table("data", "what to learn from", [this](config::Section& t) { data.describe(t); });
  s.table("generate", "makes data.file when it is missing", [this](config::Section& t) {
    auto known = names(systems::registry());
    known.insert(known.begin(), "none");
    t.key("name", &generate_system, "which system; none = the file must be there", config::one_of(known));
    if (generate_system == "none") return;
    generate.system = generate_system;
    generate.describe_details(t);
  });
  s.table("split", "which samples train, validate and test",
          [this](config::Section& t) { split.describe(t); });
  s.table("downsampling", "which frames training sees",
          [this](config::Section& t) { downsampling.describe(t); });
  s.table("loader", "batches", [this](config::Section& t) { loader.describe(t); });
  s.table("objective", "what the field is trained for",
          [this](config::Section& t) { objective.describe(t); });
  s.table("field", "the velocity field", [this](config::Section& t) { describe_field(t); });
  s.table("normalizer", "between physical and model units", [this](config::Section& t) {
    t.key("name", &normalizer, "which normalizer", config::one_of(names(normalizers::registry())));
    normalizer_options.describe(t);
  });
  s.table("optimizer", "what moves the weights", [this](config::Section& t) { optimizer.describe(t); });
  s.table("schedule", "the learning rate over the run", [this](config::Section& t) { schedule.describe(t); });
  s.table("train", "how long", [this](config::Section& t) { length.describe(t); });
  s.table("validation", "rollouts while it trains", [this](config::Section& t) { validation.describe(t); });
  s.table("evaluation", "of test samples, when it ends: evaluation.* in the run's folder",
          [this](config::Section& t) { evaluation.describe(t); });
  s.table("solver", "what steps the field in rollouts", [this](config::Section& t) {
    solver.describe_name(t, "which solver; auto = what suits the objective", {"auto"});
    if (solver.name == "auto") {
      solver_left_out = true;
      solver.name = find(objectives::registry(), objective.name, "objective").default_solver;
    }
    solver.use(solver.name);
    solver.settings->describe(t);
  });
  s.table("checkpoint", "what survives", [this](config::Section& t) { checkpoint.describe(t); });
  s.table("log", "what is told", [this](config::Section& t) { log.describe(t); });
}

void RunOptions::describe_field(config::Section& s) {
  field.describe_name(
      s,
      "which field; auto = conv on a grid, mlp for vectors; what is left out of its size, the "
      "batch, the optimizer and the length is then chosen from the data",
      {"auto"});
  if (field.name == "auto" && !suited_field_.empty()) field.name = suited_field_;
  if (field.use(field.name == "auto" ? "conv" : field.name)) field_follows_ = false;
  if (!field_follows_) follow_objective();
  field.settings->describe(s);
  if (looking_) find(fields::registry(), "mlp", "field").settings()->describe(s);
}

// A field sees dt exactly if its objective shows it.
void RunOptions::follow_objective() {
  const bool sees_dt = objective.build()->needs().conditioned;
  config::Document::from_text(fmt::format("conditioned = {}", sees_dt), "objective")
      .read([this](config::Section& s) { field.settings->describe(s); });
  field_follows_ = true;  // once: describing again must not undo what was read
}

namespace {

// Whoever tunes the search without naming a solver means the one that searches.
std::string solver_of(const config::Document& document, const RunOptions& defaults) {
  const std::string objective = document.look_up("objective.name").value_or(defaults.objective.name);
  const auto known = names(objectives::registry());
  if (std::find(known.begin(), known.end(), objective) == known.end()) return "auto";  // its check says so
  const auto usual = objectives::default_solver(objective),
             searching = objectives::searching_solver(objective);
  const bool searches =
      solvers::want_search(document, usual, searching, std::numeric_limits<double>::infinity());
  return searches ? std::string(searching) : "auto";
}

}  // namespace

RunOptions RunOptions::read(const config::Document& document) {
  RunOptions out;
  out.solver.name = solver_of(document, out);
  const auto describe = [&out](config::Section& s) { out.describe(s); };
  out.looking_ = true;  // at the data: until then any field's keys are taken
  document.read(describe);
  out.looking_ = false;
  if (out.field.name == "auto") out.suited_field_ = field_for(out);
  document.read(describe);
  out.epsilon_given = document.look_up("normalizer.relative_epsilon").has_value();
  out.note_left_out(document);
  return out;
}

// The transformer keeps the paper's sizes.
void RunOptions::note_left_out(const config::Document& document) {
  if (field.name != "conv" && field.name != "mlp") return;
  const auto given = [&](const char* key) { return document.look_up(key).has_value(); };
  for (const char* key : {"field.width", "field.depth", "loader.batch", "optimizer.learning_rate"}) {
    if (!given(key)) left_out.emplace_back(key);
  }
  if (!given("optimizer.learning_rate") &&
      !given("optimizer.name")) {  // whoever names one has made up their mind
    left_out.emplace_back("optimizer.name");
    left_out.emplace_back("optimizer.muon.learning_rate");
  }
  if (field.name == "conv" && !given("field.patch")) left_out.emplace_back("field.patch");
  const bool has_length = given("train.steps") || given("train.epochs") || given("train.minutes");
  if (!has_length) left_out.emplace_back("train.steps");
}

std::string RunOptions::to_toml() {
  return config::write([this](config::Section& s) { describe(s); });
}

}  // namespace cvf::train

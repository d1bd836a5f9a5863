#include <fmt/format.h>

#include "cli/topics.hpp"
#include "fields/field.hpp"
#include "normalizers/normalizer.hpp"
#include "objectives/objective.hpp"
#include "solvers/solver.hpp"
#include "study/options.hpp"
#include "train/options.hpp"

namespace cvf::cli {
namespace {

template <class Rows>
std::string list_of(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) out += fmt::format("  {:<20} {}\n", row.name, row.summary);
  return out;
}

// The default size of each field for a typical state, so that a user sees what a choice costs.
std::string fields_text() {
  std::string out;
  for (const auto& row : fields::registry()) {
    const auto settings = row.settings();
    const bool vector = row.name == "mlp";
    const fields::StateShape shape{2, vector ? 0 : 64, vector ? 0 : 64, 1.0};
    out += fmt::format("{}: {}\n  {}\n{}", row.name, row.summary,
                       fields::summary(row.name, *settings->build(shape, 0)),
                       config::explain([&settings](config::Section& s) { settings->describe(s); }));
  }
  return out;
}

// Each row of a shelf with its options.
template <class Rows>
std::string options_of(const Rows& rows) {
  std::string out;
  for (const auto& row : rows) {
    const auto settings = row.settings();
    out += fmt::format("{}: {}\n{}", row.name, row.summary,
                       config::explain([&settings](config::Section& s) { settings->describe(s); }));
  }
  return out;
}

}  // namespace

std::vector<Topic> model_topics() {
  return {
      {"field", "velocity fields: options, parameters, operations an evaluation", fields_text},
      {"normalizer", "between physical units and what the network sees",
       [] { return list_of(normalizers::registry()) + explained<normalizers::Options>(); }},
      {"run", "everything in a file for cvf train", [] { return explained<train::RunOptions>(); }},
      {"data", "[data] of a run file: which file, and how it is seen",
       [] { return explained<train::DataOptions>(); }},
      {"optimizer", "[optimizer] of a run file: what moves the weights",
       [] { return explained<train::OptimizerOptions>(); }},
      {"schedule", "[schedule] of a run file: the learning rate over the run",
       [] { return explained<train::ScheduleOptions>(); }},
      {"train", "[train] of a run file: how long, and in what portions",
       [] { return explained<train::LengthOptions>(); }},
      {"validation", "[validation] of a run file: rollouts while it trains",
       [] { return explained<train::ValidationOptions>(); }},
      {"evaluation", "[evaluation] of a run file: of test samples, when it ends",
       [] { return explained<train::EvaluationOptions>(); }},
      {"checkpoint", "[checkpoint] of a run file: what survives",
       [] { return explained<train::CheckpointOptions>(); }},
      {"log", "[log] of a run file: what is told", [] { return explained<train::LogOptions>(); }},
      {"study", "everything in a file for cvf study", [] { return explained<study::Study>(); }},
      {"objective", "what a field is trained for", [] { return options_of(objectives::registry()); }},
      {"solver", "how a state is stepped through time", [] { return options_of(solvers::registry()); }},
  };
}

}  // namespace cvf::cli

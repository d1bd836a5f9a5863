#include <fmt/format.h>

#include <map>

#include "cli/topics.hpp"
#include "fields/field.hpp"
#include "normalizers/normalizer.hpp"
#include "objectives/objective.hpp"
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

}  // namespace

std::string explained_by_models(const std::string& topic) {
  static const std::map<std::string, std::function<std::string()>> texts{
      {"field", fields_text},
      {"normalizer", [] { return list_of(normalizers::registry()) + explained<normalizers::Options>(); }},
      {"run", explained<train::RunOptions>},
      {"data", explained<train::DataOptions>},
      {"optimizer", explained<train::OptimizerOptions>},
      {"schedule", explained<train::ScheduleOptions>},
      {"train", explained<train::LengthOptions>},
      {"validation", explained<train::ValidationOptions>},
      {"evaluation", explained<train::EvaluationOptions>},
      {"checkpoint", explained<train::CheckpointOptions>},
      {"log", explained<train::LogOptions>},
      {"objective", [] { return options_of(objectives::registry()); }},
  };
  return texts.at(topic)();
}

}  // namespace cvf::cli

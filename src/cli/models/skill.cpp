#include "cli/models/skill.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "data/loader.hpp"
#include "data/noise.hpp"
#include "data/periodicity.hpp"
#include "run/run_file.hpp"

namespace cvf::cli {
namespace {

constexpr std::string_view metric = "normalized_rmse";
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The last row of metrics.csv: how long the run was.
void add_length(RunFacts& facts, const std::string& folder) {
  const std::string file = folder + "/metrics.csv";
  if (!std::filesystem::exists(file)) return;
  const auto table = text::read_numbers(files::read_whole(file));
  for (std::size_t i = 0; i < table.names.size() && !table.rows.empty(); ++i) {
    const double last = table.rows.back()[i];
    if (table.names[i] == "step" && last >= 0) facts.steps = static_cast<std::int64_t>(last);
    if (table.names[i] == "seconds") facts.out_of_time = facts.minutes > 0 && last >= 60 * facts.minutes;
  }
}

std::vector<std::size_t> all_samples(const data::Source& source) {
  std::vector<std::size_t> out(source.description().samples);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

// Axes across whose ends the values continue while the field does something else.
std::string unseen_periods(const std::string& boundary, const data::Source& source) {
  const auto& d = source.description();
  if (d.state.is_vector()) return "";
  const auto of_field = parse_boundary(boundary).value_or(GridBoundary{});
  const auto found = data::periodicity(source, all_samples(source));
  std::vector<std::string> out;
  for (std::size_t a = 0; a < d.state.axes.size(); ++a) {
    const auto& name = d.state.axes[a].name;
    if (found[a].found() && of_field.along(name).low != Boundary::periodic) out.push_back(name);
  }
  return text::join(out, " and ");
}

double error_in(const std::vector<metrics::Score>& scores) {
  const auto found =
      std::ranges::find_if(scores, [](const auto& score) { return score.row->name == metric; });
  return found == scores.end() ? unknown : found->value.value_or(unknown);
}

SkillErrors errors_of(const evaluate::Part& part) {
  SkillErrors out{.model = error_in(part.scores)};
  out.diverged = part.find(metric)->diverged;
  for (const auto& baseline : part.baselines)
    (baseline.name == "persistence" ? out.persistence : out.mean_state) = error_in(baseline.scores);
  return out;
}

// Of persistence over the longest step of training, from the first frame.
double change_in(const evaluate::Part& part, const evaluate::Evaluation& result, std::int64_t longest_step) {
  const auto source_frames = std::max(1, result.training_every) * longest_step;
  double last = unknown;  // of trajectories that are shorter
  for (const auto& baseline : part.baselines) {
    for (const auto& score : baseline.scores) {
      if (baseline.name != "persistence" || score.row->name != metric) continue;
      for (const auto& [frame, error] : score.per_frame) {
        last = error;
        if (frame * result.every >= source_frames) return error;
      }
    }
  }
  return last;
}

std::int64_t longest_step(const run::RunFile& settings) {
  data::LoaderOptions loader;
  settings.read("loader", loader);
  return *std::ranges::max_element(loader.strides);
}

}  // namespace

RunFacts facts_of(const JudgedRun& run, double change) {
  RunFacts out{.change = change};
  const run::RunFile settings(run.run_toml, run.folder);
  out.minutes = text::to_real(settings.word("train.minutes", "0"), "train.minutes");
  out.patch = text::to_integer(settings.word("field.patch", "1"), "field.patch");
  add_length(out, run.folder);
  for (const auto& channel : data::noise(run.data, all_samples(run.data)))
    out.noise = std::max(out.noise, channel.fraction());
  try {
    out.periodic_axes = unseen_periods(settings.word("field.boundary"), run.data);
  } catch (const DataError&) {  // values that are not finite say nothing of the sides
  }
  return out;
}

std::string lack_of_skill(const evaluate::Evaluation& result, const JudgedRun& run) {
  for (const auto& part : result.parts) {
    if (part.find(metric) == nullptr) continue;
    const auto errors = errors_of(part);
    if (cvf::lack_of_skill(errors, {}).empty()) continue;
    const auto step = longest_step(run::RunFile(run.run_toml, run.folder));
    return cvf::lack_of_skill(errors, facts_of(run, change_in(part, result, step)));
  }
  return "";
}

}  // namespace cvf::cli

#include <fmt/format.h>

#include <array>

#include "cli/topics.hpp"
#include "cli/verbs.hpp"
#include "core/registry.hpp"
#include "data/loader.hpp"
#include "data/splits.hpp"
#include "generate/generate.hpp"
#include "solvers/solver.hpp"
#include "study/options.hpp"

namespace cvf::cli {
namespace {

std::string list_of_systems() {
  std::string out;
  for (const auto& row : systems::registry()) out += fmt::format("  {:<20} {}\n", row.name, row.summary);
  return out + "  Options of one: cvf explain SYSTEM\n";
}

// Their options are those of rooms on LibTorch.
constexpr std::array<std::pair<const char*, const char*>, 11> of_models{{
    {"field", "velocity fields: options, parameters, operations an evaluation"},
    {"normalizer", "between physical units and what the network sees"},
    {"run", "everything in a file for cvf train"},
    {"data", "[data] of a run file: which file, and how it is seen"},
    {"optimizer", "[optimizer] of a run file: what moves the weights"},
    {"schedule", "[schedule] of a run file: the learning rate over the run"},
    {"train", "[train] of a run file: how long, and in what portions"},
    {"validation", "[validation] of a run file: rollouts while it trains"},
    {"evaluation", "[evaluation] of a run file: of test samples, when it ends"},
    {"checkpoint", "[checkpoint] of a run file: what survives"},
    {"log", "[log] of a run file: what is told"},
}};

std::vector<Topic> topics() {
  std::vector<Topic> all{
      {"generate", "keys of `cvf data generate` (--set, --config)", explained<generate::Options>},
      {"split", "which samples are for training, validation and test", explained<data::SplitOptions>},
      {"downsampling", "which frames training sees", explained<data::DownsamplingOptions>},
      {"loader", "how batches are made", explained<data::LoaderOptions>},
      {"system", "the systems that can be simulated", list_of_systems},
  };
  for (const auto& row : systems::registry()) {
    all.push_back({std::string(row.name), fmt::format("options of the system: {}", row.summary), [&row] {
                     const auto settings = row.settings();
                     return config::explain([&settings](config::Section& s) { settings->describe(s); });
                   }});
  }
  for (const auto& [name, summary] : of_models)
    all.push_back({name, summary, [name = std::string(name)] { return explained_by_models(name); }});
  all.push_back({"study", "everything in a file for cvf study", explained<study::Study>});
  all.push_back(
      {"objective", "what a field is trained for", [] { return explained_by_models("objective"); }});
  all.push_back(
      {"solver", "how a state is stepped through time", [] { return options_of(solvers::registry()); }});
  return all;
}

struct Explain {
  std::string topic;

  void run() const {
    const std::vector<Topic> all = topics();
    if (topic.empty()) {
      fmt::print("cvf explain TABLE, with TABLE one of:\n");
      for (const auto& t : all) fmt::print("  {:<20} {}\n", t.name, t.summary);
      return;
    }
    const Topic& found = find<Topic>(all, topic, "table");
    fmt::print("{}: {}\n{}", found.name, found.summary, found.text());
  }
};

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App& verb_app =
      *app.add_subcommand("explain", "explain a configuration table: keys, defaults, limits, meaning");
  verb_app.footer(
      "Examples: cvf explain run         every key of a file for cvf train\n"
      "          cvf explain optimizer   one of its sections\n"
      "          cvf explain objective   the objectives and their options; docs/objectives has the "
      "equations\n"
      "          cvf explain solver      the solvers; docs/solvers\n"
      "Any key can be set on the command line: cvf train RUN.toml --set optimizer.learning_rate=1e-3");
  const auto verb = bind<Explain>(verb_app);
  verb_app.add_option("TABLE", verb->topic, "which table; none lists them");
}

}  // namespace cvf::cli

#include <fmt/format.h>

#include "cli/topics.hpp"
#include "cli/verbs.hpp"
#include "core/registry.hpp"
#include "data/downsampling.hpp"
#include "data/loader.hpp"
#include "data/splits.hpp"
#include "generate/generate.hpp"

namespace cvf::cli {
namespace {

std::string list_of_systems() {
  std::string out;
  for (const auto& row : systems::registry()) out += fmt::format("  {:<20} {}\n", row.name, row.summary);
  return out + "  Options of one: cvf explain SYSTEM\n";
}

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
  const auto models = model_topics();
  all.insert(all.end(), models.begin(), models.end());
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

#include "study/options.hpp"

#include <algorithm>
#include <filesystem>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::study {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> axes{"data", "option", "method", "evaluation"};
const std::vector<std::string> baselines{"persistence", "mean_state"};

// Only the wanted entries, in the order of the file; an unknown name is an error.
template <class T>
void keep(Named<T>& all, const std::vector<std::string>& wanted, const std::string& place) {
  for (const auto& name : wanted) {
    if (find(all, name) == nullptr)
      throw ConfigError("{}: no such name '{}'{}", place, name, text::suggestion(name, names_of(all)));
  }
  if (wanted.empty()) return;
  std::erase_if(all, [&](const auto& entry) {
    return std::find(wanted.begin(), wanted.end(), entry.first) == wanted.end();
  });
}

// A name becomes a folder and a word in a table.
template <class T>
void check_names(const Named<T>& all, const std::string& file, const char* kind) {
  for (const auto& [name, value] : all) {
    const bool plain =
        !name.empty() && name[0] != '.' && name.find_first_of("/\\\n\t\"") == std::string::npos;
    if (!plain) {
      throw ConfigError("{}: [{}.\"{}\"] cannot be a folder's name; use letters, digits, - and +", file, kind,
                        name);
    }
  }
}

void apply(Study& study, const Preset& preset, const std::string& place) {
  if (!preset.seeds.empty()) study.seeds = preset.seeds;
  study.set.insert(study.set.end(), preset.set.begin(), preset.set.end());
  keep(study.data, preset.data, place + ".data");
  keep(study.options, preset.options, place + ".options");
  keep(study.methods, preset.methods, place + ".methods");
}

void find_configs(Study& study, const std::string& file, const std::string& suffix) {
  for (auto& [name, set] : study.data) {
    if (set.config.empty()) set.config = "../configs/" + name + suffix + ".toml";
    const fs::path path = fs::path(file).parent_path() / set.config;
    if (!fs::exists(path))
      throw ConfigError("{}: data.{}.config: there is no file {}", file, name, path.string());
    set.config = path.lexically_normal().string();
  }
}

void check_tables(const Study& study, const std::string& file) {
  for (const auto& [name, table] : study.tables) {
    for (const auto* list : {&table.rows, &table.columns}) {
      for (const auto& axis : *list) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end())
          throw ConfigError("{}: table.{}: '{}' is not an axis{}", file, name, axis,
                            text::suggestion(axis, axes));
      }
    }
    for (const auto& wanted : table.baselines) {
      if (std::find(baselines.begin(), baselines.end(), wanted) == baselines.end())
        throw ConfigError("{}: table.{}.baselines: no such baseline '{}'{}", file, name, wanted,
                          text::suggestion(wanted, baselines));
      if (find(study.methods, wanted) != nullptr)
        throw ConfigError("{}: table.{}.baselines: '{}' is the name of a method, too; give that another one",
                          file, name, wanted);
    }
    for (const auto& wanted : table.evaluations) {
      if (find(study.evaluations, wanted) == nullptr)
        throw ConfigError("{}: table.{}.evaluations: no such evaluation '{}'{}", file, name, wanted,
                          text::suggestion(wanted, names_of(study.evaluations)));
    }
  }
}

}  // namespace

void DataSet::describe(config::Section& s) {
  s.key("config", &config, "file for cvf train, relative to the study's; empty: ../configs/NAME.toml");
  s.key("set", &set, "settings of its runs, e.g. [\"loader.batch=64\"]");
}

void Option::describe(config::Section& s) {
  s.key("set", &set, "settings that make this option, e.g. [\"downsampling.factor=8\"]");
}

void Method::describe(config::Section& s) {
  s.key("set", &set, "settings that make this method, e.g. [\"objective.name=sm\"]");
  s.key("solver", &solver, "solver of its evaluations; empty: the run's own");
  s.key("solver_set", &solver_set, "settings of that solver, e.g. [\"solver.slack=1\"]");
}

void Check::describe(config::Section& s) {
  s.key("protocol", &protocol, "how the model is run", config::one_of({"time_informed", "direct", "forecast"}));
  s.key("split", &split, "which samples", config::one_of({"train", "validation", "test"}));
  s.key("every", &every, "looks at every so many frames; 0: at those of the training grid",
        config::at_least(0));
  s.key("solver", &solver, "instead of the method's");
  s.key("set", &set, "settings of that solver");
}

void Table::describe(config::Section& s) {
  s.key("caption", &caption, "what the table shows");
  s.key("rows", &rows, "axes of the rows: data, option, method, evaluation");
  s.key("columns", &columns, "axes of the columns; those left out make tables of their own");
  s.key("show", &show, "metrics in each cell, the first one ranks (names: cvf evaluate --definitions)");
  s.key("evaluations", &evaluations, "only these; empty: all");
  s.key("baselines", &baselines, "stand beside the methods: persistence, mean_state");
  s.key("base", &base, "method that CPED compares with; empty: no CPED");
}

void Preset::describe(config::Section& s) {
  s.key("about", &about, "what this scale is for");
  s.key("suffix", &suffix, "of the configs' names: \"-small\" takes ../configs/NAME-small.toml");
  s.key("seeds", &seeds, "instead of the study's");
  s.key("set", &set, "settings of every run");
  s.key("data", &data, "only these; empty: all");
  s.key("options", &options, "only these; empty: all");
  s.key("methods", &methods, "only these; empty: all");
}

void Study::describe(config::Section& s) {
  s.key("title", &title, "of the report and the tables");
  s.key("question", &question, "that the study answers");
  s.key("seeds", &seeds, "each cell is run with each of them", config::at_least(0));
  s.key("set", &set, "settings of every run");
  s.key("minutes", &minutes, "> 0: every run trains this long (equal time); 0: equal steps",
        config::at_least(0));
  s.key("forecasts", &forecasts,
        "samples of each evaluation whose forecast by the first seed is kept, for pictures",
        config::at_least(0));
  s.key("floors", &floors, "work out the errors that a perfect fit would leave, where a system allows it");
  s.key("runs", &runs, "folder beside the study's whose runs it shares with other studies; empty: its own");
  s.tables("data", data, "data sets");
  s.tables("option", options, "a second axis, down-sampling for example");
  s.tables("method", methods, "what is compared");
  s.tables("evaluation", evaluations, "how each trained model is judged");
  s.tables("table", tables, "what is written");
  s.tables("preset", presets, "scales of the study");
}

Study Study::read(const std::string& file, const std::string& preset, const Settings& overrides) {
  auto document = config::Document::from_file(file);
  for (const auto& assignment : overrides) document.set(assignment);
  Study study;
  document.read([&](config::Section& s) { study.describe(s); });
  const std::string wanted = preset.empty() && !study.presets.empty() ? study.presets.front().first : preset;
  Preset chosen;
  if (!wanted.empty()) {
    const Preset* found = find(study.presets, wanted);
    if (found == nullptr)
      throw UsageError("{}: has no preset '{}'{}", file, wanted,
                       text::suggestion(wanted, names_of(study.presets)));
    chosen = *found;
  }
  apply(study, chosen, file + ": preset." + wanted);
  study.presets.clear();
  if (study.options.empty()) study.options.emplace_back("default", Option{});
  if (study.evaluations.empty()) study.evaluations.emplace_back("time-informed", Check{});
  if (study.tables.empty()) study.tables.emplace_back("results", Table{});
  if (study.data.empty()) throw ConfigError("{}: names no data set; add a table [data.NAME]", file);
  if (study.methods.empty()) throw ConfigError("{}: names no method; add a table [method.NAME]", file);
  if (study.seeds.empty()) throw ConfigError("{}: seeds is empty; give at least one", file);
  check_names(study.data, file, "data");
  check_names(study.options, file, "option");
  check_names(study.methods, file, "method");
  check_names(study.evaluations, file, "evaluation");
  check_names(study.tables, file, "table");
  check_tables(study, file);
  find_configs(study, file, chosen.suffix);
  return study;
}

}  // namespace cvf::study

// A study as one TOML file: which data, options, methods and seeds are crossed, how each trained model is
// evaluated, and which tables come out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config.hpp"

namespace cvf::study {

using Settings = std::vector<std::string>;  // "table.key=value", as cvf train --set takes them

struct DataSet {
  std::string config;  // file for cvf train, relative to the study's; empty: ../configs/NAME.toml
  Settings set;
  void describe(config::Section& section);
};

struct Option {
  Settings set;
  void describe(config::Section& section);
};

struct Method {
  Settings set;
  std::string solver;  // empty: the run's own
  Settings solver_set;
  void describe(config::Section& section);
};

struct Check {  // [evaluation.NAME]
  std::string protocol = "time_informed", split = "test";
  int every = 1;
  std::string solver;  // empty: the method's
  Settings set;
  void describe(config::Section& section);
};

struct Table {
  std::string caption;
  std::vector<std::string> rows{"method"}, columns{"data", "option"}, show{"rollout_rmse", "nfe"};
  std::vector<std::string> evaluations;  // empty: all
  std::vector<std::string> baselines;    // rows beside the methods': persistence, mean_state
  std::string base;                      // method that CPED compares with
  void describe(config::Section& section);
};

struct Preset {
  std::string about, suffix;
  std::vector<std::int64_t> seeds;
  Settings set;
  std::vector<std::string> data, options, methods;  // only these; empty: all
  void describe(config::Section& section);
};

template <class T>
using Named = std::vector<std::pair<std::string, T>>;

template <class T>
std::vector<std::string> names_of(const Named<T>& all) {
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name);
  return out;
}

struct Study {
  std::string title, question;
  std::vector<std::int64_t> seeds{0};
  Settings set;
  double minutes = 0;  // > 0: equal training time instead of equal steps
  int forecasts = 1;   // samples of each evaluation whose forecast by the first seed is kept, for pictures
  bool floors = true;
  std::string runs;  // folder beside the study's whose runs are shared; empty: its own
  Named<DataSet> data;
  Named<Option> options;
  Named<Method> methods;
  Named<Check> evaluations;
  Named<Table> tables;
  Named<Preset> presets;

  void describe(config::Section& section);

  /// The study of a file with one preset applied: the first one when `preset` is empty and there are any.
  static Study read(const std::string& file, const std::string& preset, const Settings& overrides);
};

/// The entry called `name`, or nullptr.
template <class T>
const T* find(const Named<T>& all, const std::string& name) {
  for (const auto& [key, value] : all) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace cvf::study

// The [solver] table of a configuration: a name and the options of the solver that it names.
#pragma once

#include <string>

#include "solvers/solver.hpp"

namespace cvf::solvers {

struct Choice {
  std::string name = "gcs";
  std::shared_ptr<Settings> settings;  // those of `name`; null: its defaults

  void describe(config::Section& section);
  std::string to_toml() const;
  std::unique_ptr<Solver> build(const Context& context) const;
};

}  // namespace cvf::solvers

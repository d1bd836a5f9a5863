#include "solvers/choice.hpp"

#include "core/registry.hpp"

namespace cvf::solvers {

void Choice::describe(config::Section& s) {
  const std::string before = name;
  s.key("name", &name, "which solver", config::one_of(names(registry())));
  if (!settings || name != before) settings = find(registry(), name, "solver").settings();
  settings->describe(s);
}

std::string Choice::to_toml() const {
  return config::write([copy = *this](config::Section& s) mutable { copy.describe(s); });
}

std::unique_ptr<Solver> Choice::build(const Context& context) const {
  return settings ? settings->build(context) : make(name, context);
}

}  // namespace cvf::solvers

#include "systems/drawn.hpp"

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::systems {

void Drawn::describe(config::Section& section, std::string_view name, double* value, std::string_view help,
                     const config::Limits& limits) {
  section.key(name, value, help, limits);
  section.key(fmt::format("{}_range", name), &ranges[std::string(name)],
              fmt::format("draws {} for each sample, uniform in [low, high]; empty: the same for all", name),
              limits);
}

void Drawn::check(std::string_view system) const {
  for (const auto& [name, range] : ranges) {
    if (!range.empty() && (range.size() != 2 || !(range[0] <= range[1]))) {
      throw ConfigError("{}: {}_range must be two numbers, [low, high], or empty", system, name);
    }
  }
}

std::vector<std::string> Drawn::names() const {
  std::vector<std::string> out;
  for (const auto& [name, range] : ranges) {
    if (!range.empty()) out.push_back(name);
  }
  return out;
}

const Range* Drawn::range_of(std::string_view name) const {
  const auto found = ranges.find(name);
  return found == ranges.end() || found->second.empty() ? nullptr : &found->second;
}

double Drawn::one(std::string_view system, std::string_view name, const Range& range, const Draw& draw) {
  RandomStream random(draw.seed, fmt::format("{} {} attempt {}", system, name, draw.attempt), draw.sample);
  return random.uniform(range[0], range[1]);
}

Scalars joined(Scalars first, const Scalars& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace cvf::systems

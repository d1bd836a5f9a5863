// Numbers of an equation that are the same for all samples, or drawn for each. The key NAME holds the number,
// the key NAME_range = [low, high] draws it uniformly; empty, which is the default, draws nothing. What is
// drawn is a parameter of the sample.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

using Range = std::vector<double>;  // [low, high]

/// One number of an Owner, which lists those that it has in `numbers()`.
template <class Owner>
struct Number {
  std::string_view name;
  double Owner::*place;
  std::string_view help;
  config::Limits limits;
};

class Drawn {
 public:
  std::map<std::string, Range, std::less<>> ranges;  // by the numbers' names

  template <class Owner>
  void describe(config::Section& section, Owner& owner) {
    for (const auto& number : Owner::numbers())
      describe(section, number.name, &(owner.*number.place), number.help, number.limits);
  }

  /// Refuses a range that is not two numbers in order; `system` says whose it is.
  void check(std::string_view system) const;

  bool any() const { return !names().empty(); }
  std::vector<std::string> names() const;  // of those that are drawn

  /// The numbers of one sample. Each has a stream of its own, so drawing one more changes no other.
  template <class Owner>
  Owner draw(std::string_view system, Owner owner, const Draw& draw) const {
    for (const auto& number : Owner::numbers()) {
      if (const Range* range = range_of(number.name))
        owner.*number.place = one(system, number.name, *range, draw);
    }
    return owner;
  }

  /// What was drawn, in the order of names().
  template <class Owner>
  Scalars scalars(const Owner& drawn) const {
    Scalars out;
    for (const auto& name : names()) {
      for (const auto& number : Owner::numbers()) {
        if (number.name == name) out.emplace_back(name, drawn.*number.place);
      }
    }
    return out;
  }

 private:
  void describe(config::Section& section, std::string_view name, double* value, std::string_view help,
                const config::Limits& limits);
  const Range* range_of(std::string_view name) const;  // nothing where it is not drawn
  static double one(std::string_view system, std::string_view name, const Range& range, const Draw& draw);
};

/// `first`, then `second`.
Scalars joined(Scalars first, const Scalars& second);
std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& second);

}  // namespace cvf::systems

// What files say, or are known for, at the sides of their grids, in the words of core/state_spec.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "core/state_spec.hpp"
#include "core/text.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data::layouts {
namespace {

using Clue = std::pair<std::string_view, std::string_view>;  // a word, and what it tells

std::string first_clue(std::string_view text, std::initializer_list<Clue> clues) {
  for (const auto& [word, boundary] : clues) {
    if (text.find(word) != std::string_view::npos) return std::string(boundary);
  }
  return "unknown";
}

std::string name_of(const Description& about) {
  return std::filesystem::path(about.file).filename().string();
}

std::string attribute(const Description& about, const std::string& name) {
  const auto found = about.attributes.find(name);
  return found == about.attributes.end() ? "" : found->second;
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// A mask along one axis is set where the condition holds: at the first cell, at the last, or at both.
std::pair<bool, bool> sides_of(const hdf5::Group& condition) {
  constexpr std::pair both{true, true};
  if (!condition.has_dataset("mask")) return both;
  const auto mask = condition.dataset("mask");
  if (mask.rank() != 1 || mask.size() == 0) return both;
  const auto values = mask.read_all();
  const std::pair found{values.front() != 0, values.back() != 0};
  return found.first || found.second ? found : both;
}

void put(Boundary& side, Boundary value, bool& contradicts) {
  contradicts = contradicts || (side != Boundary::unknown && side != value);
  side = value;
}

}  // namespace

std::string stated_boundary(const hdf5::Group& root, std::vector<std::string>& notes) {
  const std::string text = root.text("boundary").value_or("unknown");
  if (parse_boundary(text)) return text;
  notes.push_back(
      fmt::format("attribute boundary = '{}' is taken as unknown; the words are {}", text, boundary_names()));
  return "unknown";
}

std::string groups_boundary(const Description& about) {
  const auto look = [](const std::string& text) {
    return first_clue(
        text,
        {{"diff-react", "zero_flux"}, {"Dv", "zero_flux"}, {"rdb", "outflow"}, {"dam_radius", "outflow"}});
  };
  const std::string found = look(attribute(about, "config"));
  return found != "unknown" ? found : look(name_of(about));
}

std::string fields_boundary(const Description& about) {
  const std::string told =
      first_clue(name_of(about), {{"_periodic", "periodic"}, {"_trans", "outflow"}, {"_reflect", "wall"}});
  return told == "unknown" && about.state.axes.size() > 1 ? "periodic" : told;
}

std::string tensor_boundary(const Description& about) {
  for (const char* parameter : {"beta", "Nu", "nu", "rho", "Rho"}) {
    if (about.attributes.contains(parameter)) return "periodic";
  }
  return first_clue(name_of(about),
                    {{"Advection", "periodic"}, {"Burgers", "periodic"}, {"ReacDiff", "periodic"}});
}

std::string incompressible_boundary(const Description& about) {
  const std::string config = attribute(about, "config");
  const auto at = config.find("velocity_extrapolation");
  if (at == std::string::npos) return "wall";
  return first_clue(std::string_view(config).substr(at, 40), {{"ZERO", "wall"}, {"PERIODIC", "periodic"}});
}

void set_the_well_boundary(const hdf5::Group& root, const std::vector<std::string>& dimensions,
                           const std::string& letters, Description& about) {
  static const std::map<std::string, Boundary> kinds{
      {"periodic", Boundary::periodic}, {"wall", Boundary::wall}, {"open", Boundary::outflow}};
  if (!root.has_group("boundary_conditions")) return;
  const auto group = root.group("boundary_conditions");
  for (const auto& name : group.children()) {
    if (!group.has_group(name)) continue;
    const auto condition = group.group(name);
    const std::string word = condition.text("bc_type").value_or("");
    const auto kind = kinds.find(in_lower_case(word));
    auto along = condition.texts("associated_dims");
    if (kind == kinds.end()) {
      about.notes.push_back(fmt::format("boundary condition {}: '{}' is taken as unknown", name, word));
      continue;
    }
    if (along.size() > 1) {
      about.notes.push_back(fmt::format("boundary condition {} holds inside the domain ({}): left out", name,
                                        text::join(along)));
      continue;
    }
    if (along.empty()) along = dimensions;
    const auto [low, high] = sides_of(condition);
    bool contradicts = false;
    for (auto& axis : about.state.axes) {
      const auto& dimension = dimensions[letters.find(axis.name)];
      if (std::find(along.begin(), along.end(), dimension) == along.end()) continue;
      if (low || kind->second == Boundary::periodic) put(axis.boundary.low, kind->second, contradicts);
      if (high || kind->second == Boundary::periodic) put(axis.boundary.high, kind->second, contradicts);
    }
    if (contradicts) {
      about.notes.push_back(
          fmt::format("boundary condition {} contradicts another: all are taken as unknown", name));
      about.state.set_boundary("unknown");
      return;
    }
  }
}

}  // namespace cvf::data::layouts

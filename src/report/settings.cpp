#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/errors.hpp"
#include "report/sections.hpp"
#include "run/run_file.hpp"

namespace cvf::report {
namespace {

using Settings = std::map<std::string, std::string>;

// The seed is an axis of its own, and an address says nothing about a method.
bool is_of_no_interest(const std::string& key) {
  return key == "seed" || key == "out" || key == "data.file";
}

std::optional<Settings> read_run(const Cell& cell, std::vector<std::string>& notes) {
  if (!std::filesystem::exists(run::RunFile::path_in(cell.run))) return std::nullopt;
  try {
    Settings out;
    for (auto& [key, value] : run::RunFile::in(cell.run).all()) {
      if (!is_of_no_interest(key)) out[key] = value;
    }
    return out;
  } catch (const ConfigError& error) {  // nonsense is a note; what cannot be read is an error
    notes.push_back(fmt::format("Settings are not compared: {}.", error.what()));
    return std::nullopt;
  }
}

// What an evaluation says, else what its run says.
std::string objective_of(const Cell& cell) {
  if (cell.evaluations.is_object()) {
    for (const auto& evaluation : cell.evaluations) {
      const std::string found = text_in(part_of(evaluation, "origin"), "objective");
      if (!found.empty()) return found;
    }
  }
  std::vector<std::string> nobody;
  const auto settings = read_run(cell, nobody);
  const auto found = settings ? settings->find("objective.name") : Settings::const_iterator{};
  return settings && found != settings->end() ? found->second : "";
}

using ByMethod = std::vector<std::pair<std::string, Settings>>;

Json difference(const ByMethod& methods) {
  std::set<std::string> keys;
  for (const auto& [name, settings] : methods) {
    for (const auto& [key, value] : settings) keys.insert(key);
  }
  const auto value = [](const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
  };
  std::erase_if(keys, [&](const std::string& key) {
    for (const auto& [name, settings] : methods) {
      if (value(settings, key) != value(methods.front().second, key)) return false;
    }
    return true;
  });
  Json out{{"keys", keys}, {"values", Json::object()}};
  for (const auto& [name, settings] : methods) {
    Json& column = out["values"][name] = Json::array();
    for (const auto& key : keys) column.push_back(value(settings, key));
  }
  return out;
}

}  // namespace

Json methods_of(const Folder& folder) {
  Json out = Json::array();
  std::set<std::string> seen;
  for (const auto& cell : folder.cells) {
    if (!seen.insert(cell.method).second) continue;
    std::string set;
    for (const auto& [key, value] : folder.words) {
      if (key == "method." + cell.method + ".set") set = value;
    }
    out.push_back({{"name", cell.method}, {"objective", objective_of(cell)}, {"set", set}});
  }
  return out;
}

Json differences_of(const Folder& folder, std::vector<std::string>& notes) {
  std::vector<std::pair<std::pair<std::string, std::string>, ByMethod>> groups;
  std::set<std::string> seen;
  for (const auto& cell : folder.cells) {
    if (!seen.insert(cell.data + '\n' + cell.option + '\n' + cell.method).second) continue;
    auto settings = read_run(cell, notes);
    if (!settings) continue;
    const auto place = std::pair(cell.data, cell.option);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == place; });
    if (found == groups.end()) found = groups.insert(found, {place, {}});
    found->second.emplace_back(cell.method, std::move(*settings));
  }
  Json out = Json::array();
  for (const auto& [place, methods] : groups) {
    Json entry{{"data", place.first}, {"option", place.second}};
    entry.update(difference(methods));
    if (!entry["keys"].empty()) out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace cvf::report

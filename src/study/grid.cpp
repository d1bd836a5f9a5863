#include "study/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace cvf::study {
namespace {

void append(Settings& to, const Settings& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void add_settings(Command& command, const Settings& settings) {
  for (const auto& one : settings) {
    command.push_back("--set");
    command.push_back(one);
  }
}

config::Document run_file(const Study& study, const Cell& cell) {
  auto document = config::Document::from_file(find(study.data, cell.data)->config);
  for (const auto& one : settings_of(study, cell)) document.set(one);
  return document;
}

Command train_command(const Study& study, const Cell& cell) {
  Command out{"train", find(study.data, cell.data)->config, "--seed", fmt::format("{}", cell.seed),
              "--quiet"};
  add_settings(out, settings_of(study, cell));
  return out;
}

Command evaluate_command(const Study& study, const Cell& cell, const std::string& run,
                         const std::string& place, const std::string& name, const Check& check) {
  const Method& method = *find(study.methods, cell.method);
  Command out{"evaluate",   run,
              "--protocol", check.protocol,
              "--split",    check.split,
              "--every",    fmt::format("{}", check.every),
              "--out",      place + "/evaluation-" + name,
              "--quiet"};
  const std::string& solver = check.solver.empty() ? method.solver : check.solver;
  if (!solver.empty()) out.insert(out.end(), {"--solver", solver});
  if (check.solver.empty()) add_settings(out, method.solver_set);
  add_settings(out, check.set);
  if (study.forecasts > 0 && cell.seed == study.seeds.front())
    out.insert(out.end(), {"--keep", fmt::format("{}", study.forecasts)});
  return out;
}

}  // namespace

std::string Cell::folder() const {
  return fmt::format("{}/{}/{}/seed-{}", data, option, method, seed);
}

std::string Cell::name() const {
  return fmt::format("{}, {}, {}, seed {}", data, option, method, seed);
}

std::string run_of(const Study& study, const Cell& cell) {
  return (study.runs.empty() ? "runs/" : "../" + study.runs + "/") + cell.folder();
}

std::string place_of(const Cell& cell) {
  return "cells/" + cell.folder();
}

std::vector<Cell> cells_of(const Study& study) {
  std::vector<Cell> out;
  for (const auto seed : study.seeds) {
    for (const auto& [data, d] : study.data) {
      for (const auto& [option, o] : study.options) {
        for (const auto& [method, m] : study.methods) out.push_back({data, option, method, seed});
      }
    }
  }
  return out;
}

Settings settings_of(const Study& study, const Cell& cell) {
  Settings out = study.set;
  append(out, find(study.data, cell.data)->set);
  append(out, find(study.options, cell.option)->set);
  append(out, find(study.methods, cell.method)->set);
  if (study.minutes > 0) out.push_back(fmt::format("train.minutes={}", study.minutes));
  return out;
}

CellData data_of(const Study& study, const Cell& cell) {
  const auto document = run_file(study, cell);
  return {document.look_up("data.file").value_or(""), document.look_up("split.test").value_or("")};
}

int factor_of(const Study& study, const Cell& cell) {
  const auto word = run_file(study, cell).look_up("downsampling.factor");
  if (!word) return 1;
  const double factor = text::to_real(*word, "downsampling.factor");
  if (!(factor >= 1 && factor <= std::numeric_limits<int>::max()))
    throw ConfigError("downsampling.factor = {} must be at least 1 and at most {}", *word,
                      std::numeric_limits<int>::max());
  return static_cast<int>(factor);
}

Command data_command(const Study& study, const Cell& cell) {
  Command out = train_command(study, cell);
  out.push_back("--data-only");
  return out;
}

std::vector<Command> commands_of(const Study& study, const Cell& cell, const std::string& root) {
  const std::string run = root + "/" + run_of(study, cell), place = root + "/" + place_of(cell);
  std::vector<Command> out{train_command(study, cell)};
  out.front().insert(out.front().end(), {"--out", run});
  for (const auto& [name, check] : study.evaluations)
    out.push_back(evaluate_command(study, cell, run, place, name, check));
  return out;
}

std::string fingerprint_of(const Study& study, const Cell& cell) {
  Sha256 sum;
  sum.add(files::read_whole(find(study.data, cell.data)->config));
  for (const auto& command : commands_of(study, cell, ".")) {
    for (const auto& word : command) sum.add(word + '\0');
    sum.add("\n");
  }
  return hex(sum.finish()).substr(0, 16);
}

}  // namespace cvf::study

#include "study/study.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "study/tables.hpp"

namespace cvf::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Floors = std::map<std::pair<std::string, std::string>, double>;  // (data, option) -> error

class Work {
 public:
  explicit Work(const Run& wanted)
      : wanted_(wanted),
        study_(Study::read(wanted.file, wanted.preset, wanted.set)),
        cells_(cells_of(study_)),
        jobs_(std::max(1, wanted.jobs > 0 ? wanted.jobs : threads::count())),
        threads_(std::max(1, threads::count() / jobs_)) {
    for (const auto& cell : cells_) {
      commands_.push_back(commands_of(study_, cell, wanted.out));
      fingerprints_.push_back(fingerprint_of(study_, cell));
    }
  }

  Outcome all() {
    fs::create_directories(wanted_.out);
    const FolderLock lock(wanted_.out);
    refuse_own_file();
    for (auto& result : read_results(study_, wanted_.out)) take_known(std::move(result));
    files::write_atomically(wanted_.out + "/study.toml",
                            config::write([this](config::Section& s) { study_.describe(s); }));
    if (!wanted_.tables_only) {
      make_data();
      run_cells();
    }
    write_everything();
    return outcome_;
  }

 private:
  // The resolved study goes into its folder, and must not take the place of what the user wrote.
  void refuse_own_file() const {
    std::error_code none;
    if (fs::equivalent(wanted_.file, wanted_.out + "/study.toml", none)) {
      throw UsageError("{}: would be written over by the resolved study; give another --out", wanted_.file);
    }
  }

  // A result whose run is gone can be kept as it is; one of another grid has no place in the new file.
  // Tables of what is there are laid out from whatever made it.
  void take_known(Result result) {
    const bool here = read_note(wanted_.out, result.cell).has_value();
    const bool same =
        std::ranges::any_of(cells_, [&](const Cell& cell) { return cell.name() == result.cell.name(); });
    const bool alike = std::ranges::find(fingerprints_, result.fingerprint) != fingerprints_.end();
    if (same && (alike || wanted_.tables_only)) {
      known_.emplace(result.cell.name(), std::move(result));
    } else if (!here) {
      ++foreign_;
    }
  }

  std::string folder(const Cell& cell) const { return wanted_.out + "/" + place_of(cell); }

  // One after the other: each uses all threads by itself.
  void make_data() const {
    std::set<std::string> seen;
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (finished(i)) continue;
      const Cell& cell = cells_[i];
      const std::string file = data_of(study_, cell).file;
      if (!seen.insert(file).second || fs::exists(file)) continue;
      chains.push_back({{data_command(study_, cell)}, wanted_.out + "/data.log"});
      log::note("makes {}", file);
    }
    run_chains(chains, 1, [&](std::size_t, const Ending& ending) {
      if (!ending.good) throw Error(static_cast<Exit>(ending.code), ending.sentence);
    });
  }

  // By its folder, or where that is gone by results.jsonl.
  bool finished(std::size_t i) const {
    if (const auto note = read_note(wanted_.out, cells_[i]))
      return note->commands == commands_[i] && (note->good || !wanted_.retry);
    const auto known = known_.find(cells_[i].name());
    return known != known_.end() && (known->second.good || !wanted_.retry);
  }

  void run_cells() {
    std::vector<Chain> chains;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (finished(i)) continue;
      fs::create_directories(folder(cells_[i]));
      chains.push_back({commands_[i], folder(cells_[i]) + "/output.log"});
      for (auto& command : chains.back().commands) {
        command.insert(command.end(), {"--threads", fmt::format("{}", threads_)});
        // The child of a study that was killed may still be saving there.
        // What it evaluates, the study says itself.
        if (command.front() == "train")
          command.insert(command.end(), {"--wait", "600", "--set", "evaluation.samples=0"});
      }
      which.push_back(i);
    }
    Progress progress("study", cells_.size(), "cells", cells_.size() - chains.size());
    run_chains(chains, jobs_, [&](std::size_t chain, const Ending& ending) {
      const Cell& cell = cells_[which[chain]];
      write_note(wanted_.out, cell,
                 {commands_[which[chain]], ending.good, ending.sentence, fingerprints_[which[chain]]});
      if (!ending.good) log::warning("{}: {}", cell.name(), ending.sentence);
      ++outcome_.ran;
      progress.remark(cell.name());
      progress.advance();
    });
  }

  void write_everything() {
    std::vector<Result> results;
    std::string lines;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      auto result = read_result(study_, cells_[i], wanted_.out);
      if (const auto known = known_.find(cells_[i].name()); !result && known != known_.end()) {
        result = known->second;
        ++kept;
      }
      ++outcome_.cells;
      if (!result) {
        ++outcome_.missing;
        continue;
      }
      if (!result->good) ++outcome_.failed;
      lines += result->line + "\n";
      results.push_back(std::move(*result));
    }
    if (foreign_ > 0) {
      fs::rename(wanted_.out + "/results.jsonl", wanted_.out + "/results-before.jsonl");
      log::note(
          "{0}/results.jsonl had {1} results of other cells or settings, whose runs are not here: it is now "
          "{0}/results-before.jsonl",
          wanted_.out, foreign_);
    }
    if (kept > 0)
      log::note("{} of {} cells are those of {}/results.jsonl: their runs are not here", kept, cells_.size(),
                wanted_.out);
    files::write_atomically(wanted_.out + "/results.jsonl", lines);
    const auto notes = notes_of(results, study_.floors ? floors() : Floors{});
    fs::create_directories(wanted_.out + "/tables");
    for (const auto& [name, table] : study_.tables) write(lay_out(study_, name, table, results), notes);
    write(costs(study_, results), notes);
    outcome_.results = std::move(results);
  }

  void write(Layout layout, const std::vector<std::string>& notes) const {
    layout.notes = notes;
    const std::string path = wanted_.out + "/tables/" + layout.name;
    files::write_atomically(path + ".md", markdown(layout));
    files::write_atomically(path + ".csv", csv(layout));
    files::write_atomically(path + ".tex", latex(layout));
  }

  // Reuses what an earlier call worked out: the data behind it do not change.
  Floors floors() const {
    const std::string path = wanted_.out + "/floors.json";
    Json known = fs::exists(path) ? Json::parse(files::read_whole(path), nullptr, false) : Json::object();
    if (!known.is_object()) known = Json::object();
    Floors out;
    for (const auto& cell : cells_) {
      const auto key = std::pair(cell.data, cell.option);
      if (out.contains(key)) continue;
      Json& entry = known[cell.data][cell.option];
      if (!entry.contains("sm")) entry["sm"] = floor_of(cell);
      if (entry["sm"].is_number()) out[key] = entry["sm"].get<double>();
    }
    files::write_atomically(path, known.dump(1) + "\n");
    return out;
  }

  Json floor_of(const Cell& cell) const {
    const auto [file, test] = data_of(study_, cell);
    if (!fs::exists(file) || test.empty()) return {};
    const auto floor = secant_floor({.data_file = file, .test = test, .factor = factor_of(study_, cell)});
    return floor ? Json(*floor) : Json();
  }

  // Training time where every run has a limit of it, else steps.
  std::string what_is_equal() const {
    constexpr std::string_view key = "train.minutes=";
    std::set<std::string> minutes;
    for (const auto& cell : cells_) {
      std::string own;
      for (const auto& setting : settings_of(study_, cell)) {
        if (setting.starts_with(key)) own = setting.substr(key.size());
      }
      minutes.insert(own);
    }
    if (minutes.empty() || minutes.contains("")) return "optimiser steps";
    return fmt::format("training time ({} min)", fmt::join(minutes, " or "));
  }

  std::vector<std::string> notes_of(const std::vector<Result>& results, const Floors& floors) const {
    std::vector<std::string> out;
    if (!floors.empty()) {
      std::string line =
          "Structural floors of sm (exact secant of the training step taken as a slope over each source "
          "step; "
          "no fit error):";
      for (const auto& [key, value] : floors)
        line += fmt::format(" {} {} {:.3g};", key.first, key.second, value);
      line.back() = '.';
      out.push_back(line);
    }
    for (const auto& result : results) {
      if (!result.good) out.push_back(fmt::format("Failed: {}: {}", result.cell.name(), result.sentence));
    }
    out.push_back(fmt::format("{} of {} cells; seeds {}; equal {}.", results.size(), cells_.size(),
                              fmt::join(study_.seeds, ", "), what_is_equal()));
    std::map<std::string, int> programs;
    for (const auto& result : results) {
      if (!result.program.empty()) ++programs[result.program];
    }
    std::string by;
    for (const auto& [program, count] : programs) by += fmt::format("{} cells by cvf {}, ", count, program);
    out.push_back(fmt::format(
        "Study {} (sha256 {}), {}tables by cvf {} ({}). Every line of results.jsonl carries the hashes of "
        "its data, config and checkpoint.",
        fs::path(wanted_.file).filename().string(),
        hex(sha256(files::read_whole(wanted_.file))).substr(0, 16), by, version, commit));
    if (!wanted_.definitions.empty()) out.push_back("```\n" + wanted_.definitions + "```");
    return out;
  }

  const Run& wanted_;
  Study study_;
  std::vector<Cell> cells_;
  int jobs_, threads_;
  std::vector<std::vector<Command>> commands_;
  std::vector<std::string> fingerprints_;
  std::map<std::string, Result> known_;  // of results.jsonl, by the cell's name
  std::size_t foreign_ = 0;              // results there that are neither here nor wanted
  Outcome outcome_;
};

}  // namespace

Outcome run(const Run& wanted) {
  return Work(wanted).all();
}

}  // namespace cvf::study

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
    refuse_foreign();
    const FolderLock lock(wanted_.out);
    for (auto& result : read_results(study_, wanted_.out)) take_known(std::move(result));
    files::write_atomically(wanted_.out + "/study.toml",
                            config::write([this](config::Section& s) { study_.describe(s); }));
    if (!wanted_.tables_only) {
      make_data();
      run_cells();
    }
    write_results();
    write_tables();
    return outcome_;
  }

 private:
  // The resolved study goes into its folder, and must not take the place of what the user wrote. The folder
  // of an earlier study has its lock.
  void refuse_foreign() const {
    const std::string resolved = wanted_.out + "/study.toml";
    if (files::same_file(wanted_.file, resolved))
      throw UsageError("{}: would be written over by the resolved study; give another --out", wanted_.file);
    const bool has_study = fs::exists(wanted_.out + "/.lock") || fs::exists(wanted_.out + "/results.jsonl");
    if (!has_study && fs::exists(resolved))
      throw UsageError("{}: exists, and no study was run in this folder; give another --out", resolved);
  }

  // A result whose run is gone is kept where the same commands and config would make it, or where tables are
  // made of what is there. Others are put aside.
  void take_known(Result result) {
    const std::string name = result.cell.name();
    const auto cell = std::ranges::find(cells_, name, &Cell::name);
    const auto is_same = [&] { return fingerprints_[cell - cells_.begin()] == result.fingerprint; };
    if (cell != cells_.end() && (wanted_.tables_only || is_same())) {
      known_.emplace(name, std::move(result));
    } else if (!read_note(wanted_.out, result.cell)) {
      others_ += result.line + "\n";
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
        if (command.front() == "evaluate")
          command.emplace_back("--overwrite");  // of a cell that did not finish
        // The child of a study that was killed may still be saving there.
        // What it evaluates, the study says itself. Its best models, where it has such, are chosen by the
        // error of its tables, unless it names another one.
        if (command.front() == "train") {
          command.insert(command.begin() + 2, {"--set", "validation.metric=rollout_rmse"});
          command.insert(command.end(), {"--wait", "600", "--set", "evaluation.samples=0"});
        }
      }
      which.push_back(i);
    }
    Progress progress("study", cells_.size(), "cells", cells_.size() - chains.size());
    run_chains(chains, jobs_, [&](std::size_t chain, const Ending& ending) {
      const Cell& cell = cells_[which[chain]];
      write_note(wanted_.out, cell,
                 {commands_[which[chain]], ending.good, ending.sentence, fingerprints_[which[chain]]});
      if (!ending.good) log::warning("{}: {}", cell.name(), ending.sentence);
      write_results();
      ++outcome_.ran;
      progress.remark(cell.name());
      progress.advance();
    });
  }

  // After every cell, so that a study which is killed has told what it knows.
  void write_results() {
    put_others_aside();
    outcome_.results.clear();
    std::string lines;
    for (const auto& cell : cells_) {
      auto result = read_result(study_, cell, wanted_.out);
      if (const auto known = known_.find(cell.name()); !result && known != known_.end())
        result = known->second;
      if (!result) continue;
      lines += result->line + "\n";
      outcome_.results.push_back(std::move(*result));
    }
    files::write_atomically(wanted_.out + "/results.jsonl", lines);
  }

  void put_others_aside() {
    if (others_.empty()) return;
    const std::string file = wanted_.out + "/results-before.jsonl";
    log::note("{}/results.jsonl has results of other cells or settings, whose runs are gone: they go to {}",
              wanted_.out, file);
    files::write_atomically(file, (fs::exists(file) ? files::read_whole(file) : "") + others_);
    others_.clear();
  }

  void write_tables() {
    const auto& results = outcome_.results;
    const auto gone = [&](const Result& result) { return !read_note(wanted_.out, result.cell); };
    if (const auto kept = std::ranges::count_if(results, gone); kept > 0) {
      log::note("{} of {} cells were taken from {}/results.jsonl, since their runs are gone", kept,
                cells_.size(), wanted_.out);
    }
    outcome_.cells = cells_.size();
    outcome_.missing = cells_.size() - results.size();
    outcome_.failed = std::ranges::count(results, false, &Result::good);
    const auto notes = notes_of(results, study_.floors ? floors() : Floors{});
    fs::create_directories(wanted_.out + "/tables");
    for (const auto& [name, table] : study_.tables) write(lay_out(study_, name, table, results), notes);
    write(costs(study_, results), notes);
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
  std::string others_;                   // lines of it that have no place in the new one
  Outcome outcome_;
};

}  // namespace

Outcome run(const Run& wanted) {
  return Work(wanted).all();
}

}  // namespace cvf::study

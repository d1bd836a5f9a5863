// What the cells of a study came to: read from their folders, written as results.jsonl.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/grid.hpp"

namespace cvf::study {

struct Value {
  std::optional<double> value;
  std::string status;  // "ok", "diverged", "nothing to measure", "lower bound"
};

struct Result {
  Cell cell;
  bool good = false;
  std::string sentence;                                          // why not
  std::map<std::string, double> train;                           // steps, seconds, samples_per_s, loss
  std::map<std::string, std::map<std::string, Value>> measured;  // evaluation -> metric -> value
  std::string line;                                              // of results.jsonl

  Value value(const std::string& evaluation, const std::string& metric) const;
};

/// That a cell has ended, by which commands and how; kept in the study's folder. A cell whose note names the
/// same commands need not be run again.
struct Note {
  std::vector<Command> commands;
  bool good = false;
  std::string sentence;
};
void write_note(const std::string& root, const Cell& cell, const Note& note);
std::optional<Note> read_note(const std::string& root, const Cell& cell);

/// Everything known of a cell that has ended; nothing for one that has not.
std::optional<Result> read_result(const Study& study, const Cell& cell, const std::string& root);

}  // namespace cvf::study

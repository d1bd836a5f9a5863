// A whole study: data, training, evaluation and tables of every cell of its grid, and what the cells came to:
// read from their folders, written as results.jsonl. Killed or interrupted, the same call goes on; what
// failed is a result, too.
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
  std::string fingerprint, program;  // what made it: fingerprint_of, cvf's version

  Value value(const std::string& evaluation, const std::string& metric) const;
};

/// That a cell has ended, by which commands and how; kept in the study's folder. A cell whose note names the
/// same commands need not be run again.
struct Note {
  std::vector<Command> commands;
  bool good = false;
  std::string sentence, fingerprint;
};
void write_note(const std::string& root, const Cell& cell, const Note& note);
std::optional<Note> read_note(const std::string& root, const Cell& cell);

/// Everything known of a cell that has ended; nothing for one that has not.
std::optional<Result> read_result(const Study& study, const Cell& cell, const std::string& root);

/// What results.jsonl in the study's folder says: results outlive the runs that they were taken from, so that
/// a study can go on in another clone.
std::vector<Result> read_results(const Study& study, const std::string& root);

struct Run {
  std::string file;          // the study's TOML
  std::string preset;        // empty: the first one of the file
  Settings set;              // laid over the file: "seeds=[0]", ...
  std::string out;           // folder of everything that is made
  int jobs = 0;              // cells at a time; 0: one for each thread that we may use
  bool retry = false;        // run failed cells again
  bool tables_only = false;  // run nothing; write the tables of what is there
  std::string definitions;   // of the metrics, printed below the tables
};

struct Outcome {
  std::size_t cells = 0, ran = 0, failed = 0, missing = 0;
  std::vector<Result> results;  // of the cells that have ended
};

Outcome run(const Run& wanted);

}  // namespace cvf::study

// The folder that a report is about: a study (results.jsonl and runs below it) or a single run of `cvf
// train`, which is then a study of one cell. Reads names and scores; curves and fields are read by those who
// show them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/json.hpp"

namespace cvf::report {

/// One (data, option, method, seed) of the grid.
struct Cell {
  std::string data, option, method;
  std::int64_t seed = 0;
  bool failed = false;
  std::string sentence;  // why it failed
  std::string run;       // its folder
  std::string forecast;  // file; empty: to be looked for in the run's folder
  std::vector<std::pair<std::string, std::string>> forecasts;  // evaluation -> the forecasts that it scored
  Json train;                                                  // steps, seconds, ... as the study wrote them
  Json evaluations;                                            // name -> what `cvf evaluate` wrote
};

struct StudyTable {
  std::string name, caption, csv;
};

struct Folder {
  std::string path;
  bool is_study = false;
  std::string title, question;
  std::vector<Cell> cells;
  std::vector<std::pair<std::string, std::string>> words;  // every key of study.toml
  Json floors;                                             // data -> option -> name -> error; null: none
  std::vector<StudyTable> tables;
  std::vector<std::string> notes;    // what could not be read, for the page
  std::vector<std::string> outside;  // data files that were read, which need not lie in the folder
};

/// A DataError when there is no such folder, when it is neither kind, or when a line of results.jsonl is
/// broken.
Folder open_folder(const std::string& path);

}  // namespace cvf::report

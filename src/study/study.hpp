// A whole study: data, training, evaluation and tables of every cell of its grid. Killed or interrupted, the
// same call goes on; what failed is a result, too.
#pragma once

#include <string>
#include <vector>

#include "study/results.hpp"

namespace cvf::study {

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

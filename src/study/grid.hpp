// The cells of a study and the commands that make each of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "study/options.hpp"

namespace cvf::study {

using Command = std::vector<std::string>;  // the words after the program's name

struct Cell {
  std::string data, option, method;
  std::int64_t seed = 0;

  std::string folder() const;  // of its run, inside the folder of runs
  std::string name() const;    // for people
};

/// Every cell; seeds change slowest, so that a study that is stopped early has whole tables of few seeds.
std::vector<Cell> cells_of(const Study& study);

/// All settings of a cell's run in the order in which they are laid over its config.
Settings settings_of(const Study& study, const Cell& cell);

/// Seen from the study's folder: a cell's run, which other studies may share, and what the study made of it.
std::string run_of(const Study& study, const Cell& cell);
std::string place_of(const Cell& cell);

/// Trains and evaluates in the study's folder `root`, the first seed keeping forecasts of each evaluation;
/// what was trained before is not trained again.
std::vector<Command> commands_of(const Study& study, const Cell& cell, const std::string& root);

/// Names what makes a cell, wherever the study's folder lies: its commands and the bytes of its config.
std::string fingerprint_of(const Study& study, const Cell& cell);

/// Makes the data file of a cell if it is missing, and nothing else.
Command data_command(const Study& study, const Cell& cell);

/// The data file that a cell's run reads, and its test samples as the config writes them.
struct CellData {
  std::string file, test;
};
CellData data_of(const Study& study, const Cell& cell);

/// Training sees one frame in this many.
int factor_of(const Study& study, const Cell& cell);

// Commands of this program run as child processes, several chains of them side by side.

/// Commands that follow each other; the first one that fails ends the chain.
struct Chain {
  std::vector<Command> commands;
  std::string output;  // file that takes what they print
};

struct Ending {
  bool good = false;
  int code = 0;          // of the command that failed
  std::string sentence;  // the last line that it printed, or how it ended
};

/// Runs all chains, at most `jobs` at a time, and tells of each when it has ended. A signal is passed on to
/// the children, which save what they have; then Interrupted is thrown.
void run_chains(const std::vector<Chain>& chains, int jobs,
                const std::function<void(std::size_t chain, const Ending& ending)>& ended);

}  // namespace cvf::study

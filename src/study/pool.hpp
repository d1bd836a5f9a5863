// Commands of this program run as child processes, several chains of them side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "study/grid.hpp"

namespace cvf::study {

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

// `--local-ranks N`: starts N copies of this program on this machine as the ranks of one group, and stands
// by. A signal to the launcher reaches every rank; the death of one rank ends the others.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "train/distributed/process_group.hpp"

namespace cvf::train {

/// For a verb with `--local-ranks N`. True: this process was the launcher, every rank is done, nothing is
/// left to do. False: go on, as the only rank or as one that a launcher started. Throws as `run_ranks` does.
bool run_local_ranks(int ranks, const Environment& environment = process_environment());

struct Launch {
  int ranks = 2;
  int threads = 0;                     // of all ranks together; each gets its share, at least one
  std::vector<std::string> arguments;  // argv of each rank, with the program's name in front
  std::string program = "/proc/self/exe";
  std::chrono::milliseconds patience{5000};  // between asking the ranks to end and ending them
};

/// Starts the ranks and waits for all of them. When one fails, the others are asked to end and then ended,
/// and an Error names the rank that failed first, with its exit code (128 + signal when it was killed). Ranks
/// that stopped because of a signal are an Interrupted.
void run_ranks(const Launch& launch);

/// The command line that started this process.
std::vector<std::string> own_arguments();

}  // namespace cvf::train

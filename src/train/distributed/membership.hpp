// Which rank of how many this process is, as its launcher says in the environment: torchrun, Open MPI, MPICH,
// Slurm or `--local-ranks`. No variable set means a group of one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cvf::train {

struct Membership {
  int rank = 0;
  int size = 1;
  int local_rank = 0;    // among the ranks of this machine; picks the GPU
  std::string address;   // of rank 0's machine: names the network that the ranks share; empty in a group of one
  std::string launch;    // the same for every rank of a launch, another for every launch
  int threads = 0;       // set by `--local-ranks`, which shares the cores out; 0: not set
  std::string launcher;  // "torchrun", "Open MPI", ...: for messages
};

using Environment = std::function<std::optional<std::string>(const std::string& variable)>;
Environment process_environment();

/// A variable that is half of a pair, not a number or out of range is a UsageError that names it.
Membership membership(const Environment& environment = process_environment());

/// The first name of a Slurm node list: "node[03-07,9],other" gives "node03".
std::string first_host(const std::string& node_list);

/// 32 random hexadecimal digits.
std::string random_token();

}  // namespace cvf::train

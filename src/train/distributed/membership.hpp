// Which rank of how many this process is, and where the others are found: read from the environment that
// torchrun, Open MPI, MPICH, Slurm or our own launcher set. No variable set means a group of one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace cvf::train {

struct Membership {
  int rank = 0;
  int size = 1;
  int local_rank = 0;   // among the ranks of this machine; picks the GPU
  std::string address;  // where rank 0 listens; empty in a group of one
  int port = 0;
  std::string secret;    // that every rank knows and nobody else (CVF_GROUP_SECRET)
  int threads = 0;       // set by our launcher, which shares the cores out; 0: not said
  std::string launcher;  // "torchrun", "Open MPI", ...: for messages
};

using Environment = std::function<std::optional<std::string>(const std::string& variable)>;
Environment process_environment();

/// A variable that is half of a pair, not a number or out of range is a UsageError that names it.
Membership membership(const Environment& environment = process_environment());

/// The first name of a Slurm node list: "node[03-07,9],other" gives "node03".
std::string first_host(const std::string& node_list);

}  // namespace cvf::train

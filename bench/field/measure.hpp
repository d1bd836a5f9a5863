// Several ways to do a thing, timed in turns by Google Benchmark so that a machine that slows down slows all
// of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cvf::bench {

struct Contestant {
  std::string name;
  std::function<void()> work;
  int calls = 1;                   // in one repeat
  std::function<void()> before{};  // each repeat, with one call of work, not timed
};

struct Timing {
  int repeats = 9;
  bool cpu_time = false;  // CPU seconds over threads instead of the wall clock: for a shared machine
  int threads = 1;
};

struct Result {
  double median = 0, least = 0;  // seconds of one call
};

/// Of each contestant, by name. The order of all repeats is shuffled.
std::map<std::string, Result> race(const std::vector<Contestant>& contestants, const Timing& timing);

/// Calls that fill about `seconds`, after one unmeasured call; at least 1.
int calls_within(double seconds, const std::function<void()>& work);

}  // namespace cvf::bench

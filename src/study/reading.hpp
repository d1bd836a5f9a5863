// A table read out: one method beside the most accurate of the others, in one sentence, whatever the numbers
// are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/results.hpp"

namespace cvf::study {

/// What the sentence is made of, for one data set.
struct Standing {
  std::optional<double> error, cost;  // no error: `trouble` says why
  std::string trouble;                // "diverged", "failed"
};

/// "cvf+ needs a quarter of node's evaluations at 0.9 of its error, and has 0.05 of persistence's error".
struct Rivals {
  std::string ours, other;  // other: empty when no other method has an error
  Standing mine, theirs;
  std::optional<double> persistence;
};
std::string compared(const Rivals& rivals);

/// One sentence over all data sets of the results, at one evaluation; means over seeds.
std::string read_out(const std::vector<Result>& results, const std::string& evaluation,
                     const std::string& ours);

}  // namespace cvf::study

// What is wrong with a data file before anyone trains on it: broken numbers, dead channels, copies, leakage
// between splits, odd time grids, frames that say nothing about the next. Reads every value once; memory
// stays bounded by a few frames and a digest for each sample.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/source.hpp"
#include "data/splits.hpp"

namespace cvf::data {

enum class Severity {
  fault,   // training or a result on this file would be wrong
  remark,  // worth knowing
};

struct Finding {
  std::string kind;  // "non-finite", "duplicate initial frames", ...
  Severity severity = Severity::fault;
  std::string sentence;
  std::vector<std::size_t> samples;  // those concerned
};

struct ChannelRange {
  double low = 0, high = 0, mean = 0, deviation = 0;  // over the finite values
};

struct Audit {
  std::size_t samples = 0;
  std::size_t initial_classes = 0;     // distinct first frames
  std::size_t trajectory_classes = 0;  // distinct trajectories
  std::size_t largest_class = 0;       // copies of the most frequent trajectory
  std::size_t leaked_test = 0;         // test samples with a twin in training
  std::size_t leaked_validation = 0;
  double frame_correlation = 0;      // of neighbouring frames, see resemblance.hpp
  std::vector<ChannelRange> ranges;  // for each channel
  std::vector<Finding> findings;

  bool clean() const;  // no fault
};

struct AuditOptions {
  double near =
      1e-3;  // first frames closer than this share of their own variation are near-duplicates; 0 = off
};

Audit audit(const Source& source, const Splits& splits, const AuditOptions& options = {});

}  // namespace cvf::data

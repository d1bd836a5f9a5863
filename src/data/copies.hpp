// Which samples are copies of each other: equal to the last bit, or so close that a test on one is no test.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "data/fingerprint.hpp"
#include "data/source.hpp"

namespace cvf::data {

/// Samples that are equal: each class in order, classes by their first member.
using Classes = std::vector<std::vector<std::size_t>>;
Classes classes_by(const std::vector<Fingerprint>& prints, Digest Fingerprint::*digest);

/// Compares the first `frames` frames value by value: a report of copies must not rest on a hash alone.
bool equal_frames(const Source& source, std::size_t a, std::size_t b, std::size_t frames);

/// Pairs of samples whose first frames differ, but by no more than `near` times their own variation, and
/// whose parameters, static fields and controls are the same or as near.
using Pair = std::pair<std::size_t, std::size_t>;
std::vector<Pair> near_pairs(const Source& source, const std::vector<Fingerprint>& prints, double near);

/// Sets of samples that belong together (union-find).
class Families {
 public:
  explicit Families(std::size_t count);
  std::size_t head(std::size_t member);
  void join(std::size_t a, std::size_t b) { parent_[head(a)] = head(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace cvf::data

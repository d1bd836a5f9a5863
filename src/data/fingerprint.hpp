// The raw material of the audit: one pass over a sample's values (digests, statistics, broken places), and
// which samples are copies of each other.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "data/source.hpp"

namespace cvf::data {

/// What every loop of the audit says when it is interrupted.
inline constexpr const char* audit_again = "the audit writes nothing, so run it again";

/// Random directions in the space of frames: two frames are close only if their projections are.
class Projections {
 public:
  static constexpr std::size_t count = 8;
  explicit Projections(std::size_t frame_size);
  std::array<double, count> of(std::span<const float> frame) const;

 private:
  std::vector<float> directions_;  // [count, frame_size]
};

struct ChannelSums {
  double low = 0, high = 0, sum = 0, squares = 0;
  std::size_t finite = 0, broken = 0;  // values; broken: missing, NaN or infinite
};

struct Fingerprint {
  Digest initial{};     // of the first frame and all that acts on the sample
  Digest trajectory{};  // of the frames
  Digest beside{};      // of static fields and controls
  std::vector<double> parameters;
  std::array<double, Projections::count> projections{};
  double variation = 0;  // L2 norm of the first frame about its channel means
  std::vector<ChannelSums> channels;
  std::size_t broken_values = 0, first_broken_frame = 0;
  std::string first_broken_channel;
  std::size_t repeated_frames = 0, first_repeated_frame = 0;  // equal to the frame before, value by value
};

Fingerprint fingerprint(const Source& source, std::size_t sample, const Projections& projections);

// Copies: equal to the last bit, or so close that a test on one is no test.

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

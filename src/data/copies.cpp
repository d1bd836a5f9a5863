#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "core/interrupt.hpp"
#include "data/fingerprint.hpp"

namespace cvf::data {
namespace {

double squared_distance(const Source& source, std::size_t a, std::size_t b) {
  const std::size_t size = source.description().frame_size();
  std::vector<float> of_a(size), of_b(size);
  source.read(a, 0, 1, of_a);
  source.read(b, 0, 1, of_b);
  double total = 0;
  for (std::size_t i = 0; i < size; ++i) total += (double{of_a[i]} - of_b[i]) * (double{of_a[i]} - of_b[i]);
  return total;
}

// Parameters that differ by more than the share that makes frames differ, or other fields and controls, send
// equal states elsewhere.
bool same_context(const Fingerprint& a, const Fingerprint& b, double near) {
  return a.beside == b.beside &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    [near](double p, double q) {
                      return std::abs(p - q) <= near * std::max(std::abs(p), std::abs(q));
                    });
}

}  // namespace

Classes classes_by(const std::vector<Fingerprint>& prints, Digest Fingerprint::*digest) {
  std::map<Digest, std::vector<std::size_t>> groups;
  for (std::size_t sample = 0; sample < prints.size(); ++sample)
    groups[prints[sample].*digest].push_back(sample);
  Classes out;
  for (auto& [key, members] : groups) out.push_back(std::move(members));
  std::sort(out.begin(), out.end());
  return out;
}

bool equal_frames(const Source& source, std::size_t a, std::size_t b, std::size_t frames) {
  const std::size_t size = source.description().frame_size();
  std::vector<float> of_a(size), of_b(size);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    interrupt::throw_if_requested(audit_again);
    source.read(a, frame, 1, of_a);
    source.read(b, frame, 1, of_b);
    if (std::memcmp(of_a.data(), of_b.data(), size * sizeof(float)) != 0) return false;
  }
  return true;
}

// The projection of a difference of length d is normal with deviation d: beyond 6 d in any of 8 directions
// the pair is farther apart than d for all practical purposes, so only the few left are read and measured.
std::vector<Pair> near_pairs(const Source& source, const std::vector<Fingerprint>& prints, double near) {
  std::vector<std::size_t> order(prints.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return prints[a].projections[0] < prints[b].projections[0]; });
  std::vector<Pair> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    interrupt::throw_if_requested(audit_again);
    const Fingerprint& a = prints[order[i]];
    const double distance = near * a.variation;
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const Fingerprint& b = prints[order[j]];
      if (b.projections[0] - a.projections[0] > 6 * distance) break;
      const bool candidate = a.initial != b.initial && same_context(a, b, near) &&
                             std::equal(a.projections.begin(), a.projections.end(), b.projections.begin(),
                                        [&](double p, double q) { return std::abs(p - q) <= 6 * distance; });
      if (candidate && squared_distance(source, order[i], order[j]) <= distance * distance) {
        out.emplace_back(std::min(order[i], order[j]), std::max(order[i], order[j]));
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Families::Families(std::size_t count) : parent_(count) {
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
}

std::size_t Families::head(std::size_t member) {
  while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
  return member;
}

}  // namespace cvf::data

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "data/audit.hpp"
#include "data/fingerprint.hpp"

namespace cvf::data {
namespace {

constexpr std::size_t most_samples = 32, most_frames = 16;

class PairSums {
 public:
  explicit PairSums(std::size_t channels) : sums_(channels) {}

  void add(std::size_t channel, double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    auto& s = sums_[channel];
    s.count += 1;
    s.a += a;
    s.b += b;
    s.aa += a * a;
    s.bb += b * b;
    s.ab += a * b;
  }

  void add(std::span<const float> a, std::span<const float> b) {
    for (std::size_t i = 0; i < a.size(); ++i) add(i % sums_.size(), a[i], b[i]);
  }

  double correlation() const {
    double total = 0, channels = 0;
    for (const auto& s : sums_) {
      const double aa = s.aa - s.a * s.a / s.count, bb = s.bb - s.b * s.b / s.count;
      const double least = 1e-12 * (s.aa + s.bb);  // round-off of a channel that does not vary
      if (!(s.count > 1) || !(aa > least) || !(bb > least)) continue;
      total += (s.ab - s.a * s.b / s.count) / std::sqrt(aa * bb);
      channels += 1;
    }
    return total / channels;
  }

 private:
  struct Sums {
    double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  };
  std::vector<Sums> sums_;
};

}  // namespace

Resemblance resemblance(const Source& source) {
  const Description& d = source.description();
  const std::size_t channels = d.state.count(Role::state), size = d.frame_size(),
                    row = d.state.size_along("x") * channels;
  PairSums next(channels), second(channels), across(channels), beside(channels);
  std::vector<float> frames(3 * size), other(size);
  const std::size_t stride = std::max<std::size_t>(1, d.samples / most_samples);
  for (std::size_t sample = 0; sample < d.samples; sample += stride) {
    const std::size_t count = d.frames[sample];
    for (std::size_t k = 0; k < count; k += std::max<std::size_t>(1, count / most_frames)) {
      interrupt::throw_if_requested(audit_again);
      const std::size_t here = std::min<std::size_t>(3, count - k);
      const std::span<float> read(frames.data(), here * size);
      source.read(sample, k, here, read);
      const auto first = read.first(size);
      if (here > 1) next.add(first, read.subspan(size, size));
      if (here > 2) second.add(first, read.subspan(2 * size, size));
      for (std::size_t i = 0; i + channels < size; ++i) {
        if ((i + channels) % row >= channels) beside.add(i % channels, first[i], first[i + channels]);
      }
      if (sample + 1 >= d.samples || k >= d.frames[sample + 1]) continue;
      source.read(sample + 1, k, 1, other);
      across.add(first, other);
    }
  }
  return {next.correlation(), second.correlation(), across.correlation(), beside.correlation()};
}

}  // namespace cvf::data

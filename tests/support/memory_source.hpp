// A source that computes its values, so that tests know what every number should be.
#pragma once

#include <functional>
#include <numeric>

#include "data/source.hpp"

namespace cvf::testing_support {

class MemorySource : public data::Source {
 public:
  /// value(sample, frame, index within the frame [y,x,c])
  using Value = std::function<float(std::size_t, std::size_t, std::size_t)>;

  MemorySource(std::vector<std::size_t> frames, std::size_t ny, std::size_t nx,
               const std::vector<std::string>& channels, Value value)
      : value_(std::move(value)) {
    description_.file = "memory";
    description_.layout = "test";
    description_.samples = frames.size();
    description_.frames = std::move(frames);
    std::vector<double> x(nx), y(ny);
    std::iota(x.begin(), x.end(), 0.0);
    std::iota(y.begin(), y.end(), 0.0);
    description_.state = state_of(channels, {{"y", ny, std::move(y)}, {"x", nx, std::move(x)}});
  }

  const data::Description& description() const override { return description_; }
  data::Description& describe() { return description_; }
  std::vector<double> times(std::size_t sample) const override {
    std::vector<double> out;
    for (std::size_t t = 0; t < description_.frames[sample]; ++t) out.push_back(time(sample, t));
    return out;
  }
  std::map<std::string, double> scalars(std::size_t) const override { return {}; }
  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    const std::size_t size = description_.frame_size();
    for (std::size_t f = 0; f < count; ++f) {
      for (std::size_t i = 0; i < size; ++i) out[f * size + i] = value_(sample, first + f, i);
    }
  }

  /// Irregular on purpose: 0.5 t plus a little that depends on sample and frame.
  std::function<double(std::size_t, std::size_t)> time = [](std::size_t sample, std::size_t frame) {
    return 0.5 * static_cast<double>(frame) + 0.01 * static_cast<double>((sample + frame) % 3);
  };

 private:
  data::Description description_;
  Value value_;
};

}  // namespace cvf::testing_support

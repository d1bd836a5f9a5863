#include "data/fingerprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/interrupt.hpp"
#include "core/random.hpp"

namespace cvf::data {
namespace {

void add_statistics(std::span<const float> frame, std::size_t frame_index,
                    const std::vector<std::string>& names, Fingerprint& print) {
  const std::size_t channels = names.size();
  for (std::size_t c = 0; c < channels; ++c) {
    ChannelSums& sums = print.channels[c];
    for (std::size_t i = c; i < frame.size(); i += channels) {
      const double value = frame[i];
      if (!std::isfinite(value)) {
        ++sums.broken;
        if (print.broken_values++ == 0) {
          print.first_broken_frame = frame_index;
          print.first_broken_channel = names[c];
        }
        continue;
      }
      sums.low = std::min(sums.low, value);
      sums.high = std::max(sums.high, value);
      sums.sum += value;
      sums.squares += value * value;
      ++sums.finite;
    }
  }
}

// Equal value by value. Frames without any finite value are missing, not repeated.
bool repeats(std::span<const float> frame, const float* before) {
  return std::memcmp(before, frame.data(), frame.size_bytes()) == 0 &&
         std::any_of(frame.begin(), frame.end(), [](float value) { return std::isfinite(value); });
}

double variation_about_means(std::span<const float> frame, std::size_t channels) {
  double total = 0;
  const std::size_t cells = frame.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    double mean = 0;
    for (std::size_t i = c; i < frame.size(); i += channels) mean += frame[i];
    mean /= static_cast<double>(cells);
    for (std::size_t i = c; i < frame.size(); i += channels) total += (frame[i] - mean) * (frame[i] - mean);
  }
  return std::sqrt(total);
}

// Two samples that begin alike are twins only if the same acts on them.
void add_context(const Source& source, std::size_t sample, Fingerprint& print) {
  const Description& d = source.description();
  print.parameters = parameters_of(source, sample);
  Sha256 hash;
  const auto add = [&hash](const std::vector<float>& values) { hash.add(std::as_bytes(std::span(values))); };
  for (const auto& name : d.state.names(Role::static_field)) add(source.static_field(sample, name));
  for (const auto& name : d.state.names(Role::control)) add(source.control(sample, name));
  for (const auto& name : d.state.names(Role::control_field)) add(source.control(sample, name));
  print.beside = hash.finish();
}

}  // namespace

Projections::Projections(std::size_t frame_size) : directions_(count * frame_size) {
  RandomStream stream(0, "data.audit.projections");
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    if (i % (std::size_t{1} << 20) == 0) interrupt::throw_if_requested(audit_again);
    directions_[i] = static_cast<float>(stream.normal());
  }
}

std::array<double, Projections::count> Projections::of(std::span<const float> frame) const {
  std::array<double, count> out{};
  for (std::size_t k = 0; k < count; ++k) {
    const float* direction = &directions_[k * frame.size()];
    for (std::size_t i = 0; i < frame.size(); ++i) out[k] += static_cast<double>(direction[i]) * frame[i];
  }
  return out;
}

Fingerprint fingerprint(const Source& source, std::size_t sample, const Projections& projections) {
  const Description& d = source.description();
  const std::size_t size = d.frame_size(), frames = d.frames.at(sample);
  const auto channels = d.channels();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Fingerprint print;
  print.channels.assign(channels.size(), {infinity, -infinity, 0, 0, 0, 0});

  add_context(source, sample, print);

  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 20) / size, 1, frames);
  std::vector<float> values((block + 1) * size);  // the last frame of the block before, then the block
  Sha256 whole;
  for (std::size_t first = 0; first < frames; first += block) {
    interrupt::throw_if_requested(audit_again);
    const std::size_t count = std::min(block, frames - first);
    const std::span<float> fresh(values.data() + size, count * size);
    source.read(sample, first, count, fresh);
    whole.add(std::as_bytes(fresh));
    for (std::size_t f = 0; f < count; ++f) {
      const std::span<const float> frame = fresh.subspan(f * size, size);
      add_statistics(frame, first + f, channels, print);
      if (first + f > 0 && repeats(frame, frame.data() - size)) {
        if (print.repeated_frames++ == 0) print.first_repeated_frame = first + f;
      }
    }
    if (first == 0) {
      const std::span<const float> initial = fresh.first(size);
      Sha256 hash;
      hash.add(std::as_bytes(initial));
      hash.add(std::as_bytes(std::span(print.parameters)));
      hash.add(std::as_bytes(std::span(print.beside)));
      print.initial = hash.finish();
      print.projections = projections.of(initial);
      print.variation = variation_about_means(initial, channels.size());
    }
    std::copy_n(fresh.data() + (count - 1) * size, size, values.data());
  }
  print.trajectory = whole.finish();
  return print;
}

}  // namespace cvf::data

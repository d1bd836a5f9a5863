#include "data/downsampling.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/random.hpp"

namespace cvf::data {

void DownsamplingOptions::describe(config::Section& section) {
  static constexpr std::array<std::pair<std::string_view, Downsampling>, 2> kinds{
      {{"even", Downsampling::even}, {"dynamic", Downsampling::dynamic}}};
  section.choice<Downsampling>("kind", kind, kinds,
                               "even: frames 0, k, 2k, ...; dynamic: a random 1/k of the frames");
  section.key("factor", &factor, "k: one frame in k is kept", config::at_least(1));
}

std::vector<std::size_t> kept_frames(const DownsamplingOptions& options, std::size_t frames,
                                     std::uint64_t seed, std::size_t sample) {
  const auto k = static_cast<std::size_t>(options.factor);
  std::vector<std::size_t> kept;
  if (options.kind == Downsampling::even) {
    for (std::size_t frame = 0; frame < frames; frame += k) kept.push_back(frame);
    return kept;
  }
  kept.resize(frames);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  RandomStream(seed, "data.downsampling", sample).shuffle(kept);
  kept.resize(std::min(frames, std::max<std::size_t>(2, (frames + k - 1) / k)));
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace cvf::data

#include "data/trajectories.hpp"

#include <algorithm>

namespace cvf::data {
namespace {

template <std::size_t Channels>
void split_planes(const float* cells, std::size_t count, float* planes) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < Channels; ++c) planes[c * count + i] = cells[i * Channels + c];
  }
}

// [H,W,C] -> [C,H,W]; the usual channel counts as constants so that the compiler vectorises the shuffle.
void to_planes(const float* cells, std::size_t count, std::size_t channels, float* planes) {
  switch (channels) {
    case 1:
      std::copy_n(cells, count, planes);
      return;
    case 2:
      split_planes<2>(cells, count, planes);
      return;
    case 3:
      split_planes<3>(cells, count, planes);
      return;
    case 4:
      split_planes<4>(cells, count, planes);
      return;
    default:
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t i = 0; i < count; ++i) planes[c * count + i] = cells[i * channels + c];
      }
  }
}

// Length of the run of consecutive frames that starts at `begin`, at most `limit`.
std::size_t run_length(const std::vector<std::size_t>& frames, std::size_t begin, std::size_t limit) {
  std::size_t run = 1;
  while (run < limit && begin + run < frames.size() && frames[begin + run] == frames[begin] + run) ++run;
  return run;
}

}  // namespace

Trajectories::Trajectories(std::shared_ptr<const Source> source, DownsamplingOptions downsampling,
                           std::uint64_t seed, bool keep, FrameDerivatives derivatives)
    : source_(std::move(source)),
      downsampling_(downsampling),
      seed_(seed),
      keep_(keep),
      derivatives_(std::move(derivatives)) {}

std::shared_ptr<const Trajectory> Trajectories::get(std::size_t sample) {
  if (!keep_) return read(sample);
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(sample);
    if (found != kept_.end()) return found->second;
  }
  auto fresh = read(sample);
  const std::lock_guard lock(mutex_);
  return kept_.emplace(sample, std::move(fresh)).first->second;
}

std::size_t Trajectories::kept_frames(std::size_t sample) const {
  return data::kept_frames(downsampling_, source_->description().frames.at(sample), seed_, sample).size();
}

std::size_t Trajectories::bytes(std::size_t sample) const {
  return kept_frames(sample) * stored_size() * sizeof(float);
}

std::shared_ptr<const Trajectory> Trajectories::read(std::size_t sample) const {
  const Description& d = source_->description();
  const std::size_t cells = d.state.cells(), channels = d.state.count(Role::state), size = d.frame_size();
  auto out = std::make_shared<Trajectory>();
  out->frames = data::kept_frames(downsampling_, d.frames.at(sample), seed_, sample);
  const std::vector<double> all_times = source_->times(sample);
  for (const std::size_t frame : out->frames) out->times.push_back(all_times[frame]);
  out->context = source_->context(sample);
  out->values.resize(out->frames.size() * size);

  // A block of about 1 MB at a time: it is still in the cache when it is split into planes.
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 18) / size);
  std::vector<float> buffer(std::min(block, out->frames.size()) * size);
  for (std::size_t begin = 0; begin < out->frames.size();) {
    const std::size_t run = run_length(out->frames, begin, block);
    const std::span<float> values(buffer.data(), run * size);
    source_->read(sample, out->frames[begin], run, values);
    require_finite(*source_, sample, out->frames[begin], values);
    for (std::size_t i = 0; i < run; ++i) {
      to_planes(&values[i * size], cells, channels, &out->values[(begin + i) * size]);
    }
    begin += run;
  }
  if (derivatives_.count > 0) add_derivatives(*out);
  return out;
}

void Trajectories::add_derivatives(Trajectory& trajectory) const {
  const std::size_t size = source_->description().frame_size(), frames = trajectory.frames.size(),
                    stored = stored_size();
  std::vector<float> further(derivatives_.count * frames * size), together(frames * stored);
  derivatives_.fill(trajectory, size, further);
  for (std::size_t f = 0; f < frames; ++f) {
    std::copy_n(&trajectory.values[f * size], size, &together[f * stored]);
    for (std::size_t c = 0; c < derivatives_.count; ++c) {
      std::copy_n(&further[(c * frames + f) * size], size, &together[f * stored + (1 + c) * size]);
    }
  }
  trajectory.values = std::move(together);
}

}  // namespace cvf::data

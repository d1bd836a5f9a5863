// Trajectories in memory, as training wants them: kept frames only, channel planes [C,H,W], float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "data/source.hpp"
#include "data/splits.hpp"

namespace cvf::data {

struct Trajectory {
  std::vector<std::size_t> frames;  // indices of the kept frames in the source
  std::vector<double> times;        // of the kept frames
  SampleContextPointer context;     // of the sample; null where there is none
  std::vector<float> values;        // [kept, C, H, W], or [kept, 1+n, C, H, W] with n derivatives
};

/// Further values of every frame that are computed from the whole trajectory, e.g. the slopes of a spline
/// through its frames. They travel behind the frame's own values through windows and batches.
struct FrameDerivatives {
  std::size_t count = 0;  // blocks of C*H*W values for each frame
  /// Fills `out` [count, kept, C, H, W] from a trajectory without derivatives. Called from any thread.
  std::function<void(const Trajectory& trajectory, std::size_t frame_size, std::span<float> out)> fill;
};

class Trajectories {
 public:
  /// `keep` holds every trajectory that was once read; else a caller's shared_ptr is all that keeps it alive.
  Trajectories(std::shared_ptr<const Source> source, DownsamplingOptions downsampling, std::uint64_t seed,
               bool keep, FrameDerivatives derivatives = {});

  /// Reads (or finds) one trajectory. Safe from any thread. A non-finite value is a DataError that names its
  /// place.
  std::shared_ptr<const Trajectory> get(std::size_t sample);

  std::size_t kept_frames(std::size_t sample) const;
  std::size_t bytes(std::size_t sample) const;
  /// Values stored for one frame, derivatives included.
  std::size_t stored_size() const { return (1 + derivatives_.count) * source_->description().frame_size(); }
  const Source& source() const { return *source_; }

 private:
  std::shared_ptr<const Trajectory> read(std::size_t sample) const;
  void add_derivatives(Trajectory& trajectory) const;

  std::shared_ptr<const Source> source_;
  DownsamplingOptions downsampling_;
  std::uint64_t seed_;
  bool keep_;
  FrameDerivatives derivatives_;
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::shared_ptr<const Trajectory>> kept_;
};

}  // namespace cvf::data

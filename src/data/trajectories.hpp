// Trajectories in memory, as training wants them: kept frames only, channel planes [C,H,W], float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "data/downsampling.hpp"
#include "data/source.hpp"

namespace cvf::data {

struct Trajectory {
  std::vector<std::size_t> frames;  // indices of the kept frames in the source
  std::vector<double> times;        // of the kept frames
  std::vector<float> values;        // [kept, C, H, W]
};

class Trajectories {
 public:
  /// `keep` holds every trajectory that was once read; else a caller's shared_ptr is all that keeps it alive.
  Trajectories(std::shared_ptr<const Source> source, DownsamplingOptions downsampling, std::uint64_t seed,
               bool keep);

  /// Reads (or finds) one trajectory. Safe from any thread. A non-finite value is a DataError that names its
  /// place.
  std::shared_ptr<const Trajectory> get(std::size_t sample);

  std::size_t kept_frames(std::size_t sample) const;
  std::size_t bytes(std::size_t sample) const;
  const Source& source() const { return *source_; }

 private:
  std::shared_ptr<const Trajectory> read(std::size_t sample) const;

  std::shared_ptr<const Source> source_;
  DownsamplingOptions downsampling_;
  std::uint64_t seed_;
  bool keep_;
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::shared_ptr<const Trajectory>> kept_;
};

}  // namespace cvf::data

// What a forecast of a data file is asked for: the frame that it starts from and the times that it should
// reach.
#pragma once

#include <cmath>
#include <span>

#include "data/source.hpp"
#include "rollout/protocols.hpp"

namespace cvf::rollout {

struct Request {
  std::size_t from_frame = 0;
  double until = NAN;         // the last time; NaN: that of the file
  std::vector<double> times;  // if any: these, and not the file's

  /// The given frame's time, then the wanted ones: as asked for, or the file's own, continued at its last
  /// spacing where it ends before `until`. Refuses what leaves nothing to forecast.
  std::vector<double> times_of(const data::Source& source, std::size_t sample) const;

  /// How many times that would be, the given frame's too, without making room for them.
  double frames_of(const data::Source& source, std::size_t sample) const;

  /// The given frames [B,C,...]. A DataError names a value that is not finite.
  StateArray given(const data::Source& source, std::span<const std::size_t> samples) const;

 private:
  void check_until(std::size_t sample, double start) const;
  double spacing_after(const std::vector<double>& own) const;
  void continue_to_the_end(std::vector<double>& all, const std::vector<double>& own) const;
};

}  // namespace cvf::rollout

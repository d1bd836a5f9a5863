// How a run is judged while it trains.
#pragma once

#include <cstdint>

#include "core/config.hpp"

namespace cvf::train {

struct ValidationOptions {
  std::int64_t steps = 0;  // 0: ten times over the run; negative: never
  int samples = 16;        // of the validation list, at most
  int frames = 0;          // how far; 0 = to the end

  void describe(config::Section& section);
};

}  // namespace cvf::train

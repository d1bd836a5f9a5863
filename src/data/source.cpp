#include "data/source.hpp"

#include <cmath>

#include "core/errors.hpp"

namespace cvf::data {

void require_finite(const Source& source, std::size_t sample, std::size_t first,
                    std::span<const float> values) {
  const std::size_t size = source.description().frame_size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError("{}: sample {}, frame {}: a value is {}; `cvf data audit` lists all such places",
                      source.description().file, sample, first + i / size, values[i]);
    }
  }
}

}  // namespace cvf::data

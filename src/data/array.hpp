// An array of numbers in a file, in whatever container: HDF5, NPY, a member of an NPZ.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cvf::data {

using Extents = std::vector<std::size_t>;

class Array {
 public:
  virtual ~Array() = default;
  virtual std::string name() const = 0;  // "run.h5: '/u'", for sentences
  virtual const Extents& extents() const = 0;

  /// A block in storage order (last axis fastest). Safe from any thread.
  virtual void read(std::span<const std::size_t> start, std::span<const std::size_t> count,
                    float* values) const = 0;
};

using ArrayPointer = std::shared_ptr<const Array>;

/// "3 x 128 x 128".
std::string spell(const Extents& extents);

}  // namespace cvf::data

// An array of numbers in a file, in whatever container (HDF5, NPY, a member of an NPZ), and what its axes
// mean.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::data {

using Extents = std::vector<std::size_t>;

class Array {
 public:
  virtual ~Array() = default;
  virtual std::string name() const = 0;  // "run.h5: '/u'", for sentences
  virtual const Extents& extents() const = 0;
  virtual std::string remark() const { return ""; }  // on values that are not there, for the notes of a file

  /// A block in storage order (last axis fastest). Safe from any thread.
  virtual void read(std::span<const std::size_t> start, std::span<const std::size_t> count,
                    float* values) const = 0;
};

using ArrayPointer = std::shared_ptr<const Array>;

/// "3 x 128 x 128".
std::string spell(const Extents& extents);

// What the axes of an array mean, one letter each: n sample, t time, z, y, x, c channel. Inside,
// "ntyxc"; as people write it, "n,t,y,x,c".

constexpr std::string_view grid_axes = "zyx";  // the slowest first
constexpr char single_axis = '1';  // an axis of one entry that means nothing; never written by users

/// "n,t,y,x,c" to "ntyxc". Each letter at most once, t always, z only with y, y only with x, as many as there
/// are extents; otherwise a DataError that begins with `name`.
std::string parse_axes(std::string_view text, const Extents& extents, const std::string& name);

std::string spell_axes(std::string_view letters);

/// Entries along an axis; 1 when the array lacks it. Several channel axes multiply.
std::size_t extent_of(const Extents& extents, std::string_view letters, char axis);

}  // namespace cvf::data

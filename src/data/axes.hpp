// What the axes of an array mean, one letter each: n sample, t time, z, y, x, c channel. Inside,
// "ntyxc"; as people write it, "n,t,y,x,c".
#pragma once

#include <string>
#include <string_view>

#include "data/array.hpp"

namespace cvf::data {

constexpr std::string_view grid_axes = "zyx";  // the slowest first
constexpr char single_axis = '1';  // an axis of one entry that means nothing; never written by users

/// "n,t,y,x,c" to "ntyxc". Each letter at most once, t always, z only with y, y only with x, as many as there
/// are extents; otherwise a DataError that begins with `name`.
std::string parse_axes(std::string_view text, const Extents& extents, const std::string& name);

std::string spell_axes(std::string_view letters);

/// Entries along an axis; 1 when the array lacks it. Several channel axes multiply.
std::size_t extent_of(const Extents& extents, std::string_view letters, char axis);

}  // namespace cvf::data

// How cvf writes trajectories: PDEBench's group layout (one group a sample), with everything that a reader
// should know as attributes and small arrays beside the data.
//
//   /                attributes: generator, version, channels, boundary, axes, and what the maker adds
//   (config, seed, ...) /0000/data       float32 (t,y,x,c), (t,x,c) or (t,c), one chunk a frame
//   /0000/grid/{x,y,t}
//   /0000/scalars/*  float64: drawn parameters, solver statistics
//   /0000/static/*   float32 of the grid's shape: fields that do not change in time
//   /0000/controls/* float32 (t): what acts on the sample, at its frame times and linear in between
//   The root's attributes parameters (some of the scalars), static and controls name those that there are.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cvf::data {

struct GroupsPlan {
  std::vector<std::string> channels;
  std::size_t ny = 1, nx = 1;
  std::vector<double> x, y;
  std::string boundary;
  std::vector<std::vector<double>> times;  // for each sample
  std::vector<std::string> scalar_names;
  std::vector<std::pair<std::string, std::string>> attributes;  // of the root
  std::vector<std::string> parameters = {};  // the scalars that are parameters of the equation
  std::vector<std::string> statics = {};     // static fields of each sample
  std::vector<std::string> controls = {};    // control series of each sample

  std::size_t cells() const { return ny * nx; }
  std::vector<std::size_t> static_extents() const;  // of a static field: {ny,nx}, {nx} or {}
  std::size_t samples() const { return times.size(); }
  std::size_t frame_size() const { return ny * nx * channels.size(); }
  std::string key(std::size_t sample) const;                   // "0007"
  std::vector<std::size_t> extents(std::size_t sample) const;  // of its data: {T,ny,nx,C}, {T,nx,C} or {T,C}
  std::string axes() const;                                    // "t,y,x,c", "t,x,c" or "t,c"
  std::string digest() const;  // SHA-256 of all the above: equal plans make equal files
};

}  // namespace cvf::data

namespace cvf::data::hdf5 {
class Group;
}

namespace cvf::data {

/// Everything of the layout but the data arrays themselves.
void write_root(hdf5::Group& root, const GroupsPlan& plan);
void write_grid(hdf5::Group& group, const GroupsPlan& plan, std::size_t sample);

/// Where a static field or a control of a sample lies in its group.
std::string static_path(const std::string& name);
std::string control_path(const std::string& name);

}  // namespace cvf::data

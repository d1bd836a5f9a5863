// How cvf writes trajectories: PDEBench's group layout (one group a sample), with everything that a reader
// should know as attributes and small arrays beside the data.
//
//   /                attributes: generator, version, channels, boundary, axes, and what the maker adds
//   (config, seed, ...) /0000/data       float32 (t,z,y,x,c), (t,y,x,c), (t,x,c) or (t,c), one chunk a frame
//   /0000/NAME       further arrays of the same shape, where the plan names any
//   /0000/grid/{x,y,z,t}
//   /0000/scalars/*  float64: drawn parameters, solver statistics
//   /0000/static/*   float32 of the grid's shape: fields that do not change in time
//   /0000/controls/* float32 (t): what acts on the sample, at its frame times and linear in between
//   /0000/control_fields/*  float32 (t, axes): the same with a value for each cell
//   The root's attributes parameters (some of the scalars), static, controls and control_fields name those
//   that there are.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/state_spec.hpp"

namespace cvf::data {

struct GroupsPlan {
  StateSpec state;  // its channels, with the parameters (some of the scalars), static fields and controls
  std::vector<std::vector<double>> times = {};  // for each sample
  std::vector<std::string> scalar_names = {};
  std::vector<std::pair<std::string, std::string>> attributes = {};  // of the root
  std::vector<std::string> beside = {};  // further arrays of each sample, shaped as its data: "spread"

  std::vector<std::size_t> static_extents() const;                           // of a static field: as the grid
  std::vector<std::size_t> control_field_extents(std::size_t sample) const;  // {T, axes}
  std::size_t samples() const { return times.size(); }
  std::size_t frame_size() const { return state.frame_size(); }
  std::string key(std::size_t sample) const;                   // "0007"
  std::vector<std::size_t> extents(std::size_t sample) const;  // of its data: {T, axes, C}
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
std::string control_field_path(const std::string& name);

// What a file of groups takes, known before it is laid out.

struct FileSize {
  double samples = 0;
  double frames = 0;         // of all samples together
  double frame_values = 0;   // in each frame
  double sample_values = 0;  // beside the frames: static fields and controls of each sample
  double frame_notes = 0;    // bytes of memory that the maker holds for a frame until the end
};

/// Throws a DataError with what is needed and what there is when the file would not fit on the disk, or what
/// is known of its samples and frames not into memory.
void check_resources(const std::string& path, const FileSize& file);

// Small arrays beside the data of a sample, in files of our own layout: the steps behind a forecast, say. The
// other side of GroupsWriter::add.

/// E.g. read_small_array(file, 0, "steps", "time"). Empty when the sample has no such array.
std::vector<double> read_small_array(const std::string& file, std::size_t sample, const std::string& group,
                                     const std::string& name);

}  // namespace cvf::data

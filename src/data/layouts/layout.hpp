// A layout recognises its files by what is in them and opens them; one row each in common.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/array_source.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"

namespace cvf::data::layouts {

struct Layout {
  const char* name;
  bool (*recognises)(const hdf5::Group& root);
  std::unique_ptr<Source> (*open)(const hdf5::Group& root, const OpenOptions& options);
};

extern const Layout groups, fields, tensor, incompressible, the_well, pdearena, pairs, plain;

/// In the order in which they are tried; the last one takes every HDF5 file.
const std::vector<Layout>& table();

/// The arrays of a .npy or .npz file.
std::unique_ptr<Source> open_numpy(const std::string& file, const OpenOptions& options);

// What layouts share
// ------------------------------------------------------------------------------------------------

/// The axes that the user gave, otherwise those that the layout implies, as letters.
std::string axes_for(const hdf5::Dataset& dataset, const OpenOptions& options, const std::string& implied);

/// A dataset of states as a view: floating, not empty, ever written; with a chunk cache that fits one frame.
View open_states(hdf5::Dataset dataset, const std::string& letters, std::size_t* cache_bytes = nullptr);

/// Sets samples, frames and axes from a view that has them all.
void describe_axes(Description& description, const View& view);

/// Coordinates with as many entries as the axis: longer ones are cut with a note, shorter ones refused.
std::vector<double> fit_coordinates(std::vector<double> values, std::size_t wanted, const std::string& name,
                                    std::vector<std::string>& notes);
std::vector<double> read_coordinates(const hdf5::Group& parent, const std::string& child, std::size_t wanted,
                                     std::vector<std::string>& notes);  // empty when there are none

/// Sets the coordinates of the axes: given an axis and its size; those of `parent` are called before + axis +
/// behind.
using CoordinatesOf = std::function<std::vector<double>(const std::string& axis, std::size_t size)>;
void read_axes(Description& description, const CoordinatesOf& coordinates_of);
void read_axes(Description& description, const hdf5::Group& parent, const std::string& before,
               const std::string& behind = "");

/// Times from a dataset (t), for all samples, or (n, t), one row each; uniform ones when `child` is missing.
std::vector<std::vector<double>> read_times(const hdf5::Group& parent, const std::string& child,
                                            const OpenOptions& options, Description& description);
std::vector<double> uniform_times(std::size_t frames, const OpenOptions& options,
                                  std::vector<std::string>& notes);

/// Is `name` one that arrays of coordinates have: t, time, x, y and their like?
bool is_coordinate(const std::string& name);

/// `text` cut at commas, without the spaces around each name.
std::vector<std::string> trimmed_names(const std::string& text);

/// `text` cut at commas when it has `count` parts; otherwise c0, c1, ...
std::vector<std::string> channel_names(const std::string& text, std::size_t count, const std::string& name);

/// The root's attribute `boundary`. A text that does not parse is unknown, with a note.
std::string stated_boundary(const hdf5::Group& root, std::vector<std::string>& notes);

/// What is known of the equations that PDEBench publishes in each of its layouts, from the attributes or the
/// name of the file; unknown where neither tells.
std::string groups_boundary(const Description& about);
std::string fields_boundary(const Description& about);
std::string tensor_boundary(const Description& about);
std::string incompressible_boundary(const Description& about);

/// The sides that the conditions of The Well name: `letters` has x, y or z for each of its dimensions.
void set_the_well_boundary(const hdf5::Group& root, const std::vector<std::string>& dimensions,
                           const std::string& letters, Description& about);

/// Attributes of the root that people may want to see.
void show_attributes(const hdf5::Group& root, Description& description);

}  // namespace cvf::data::layouts

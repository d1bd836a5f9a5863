// A small HDF5 file of each layout that the readers know.
#pragma once

#include <filesystem>
#include <vector>

#include "data/hdf5.hpp"

namespace cvf::testing_support {

inline void write_states(const data::hdf5::Group& parent, const std::string& name,
                         const data::hdf5::Extents& extents, const data::hdf5::Extents& chunk = {}) {
  auto dataset = parent.create_dataset(name, extents, {.chunk = chunk, .deflate = chunk.empty() ? 0 : 1});
  const std::vector<float> values(dataset.size(), 0.5F);
  dataset.write(data::hdf5::Extents(extents.size(), 0), extents, values.data());
}

inline void write_layouts(const std::filesystem::path& folder) {
  using data::hdf5::File;
  std::filesystem::create_directories(folder);
  const auto groups = File::create(folder / "groups.h5").root();
  write_states(groups.create_group("0000"), "data", {2, 4, 4, 1});
  write_states(groups.create_group("0001"), "data", {2, 4, 4, 1}, {1, 4, 4, 1});
  const auto fields = File::create(folder / "fields.h5").root();
  for (const char* name : {"density", "pressure", "Vx", "Vy"}) write_states(fields, name, {1, 2, 4, 4});
  write_states(File::create(folder / "tensor.h5").root(), "tensor", {2, 2, 4});
  write_states(File::create(folder / "velocity.h5").root(), "velocity", {1, 2, 4, 4, 2});
  const auto pairs = File::create(folder / "pairs.h5").root();
  for (const char* name : {"x", "y"}) write_states(pairs, name, {2, 4, 4});
}

}  // namespace cvf::testing_support

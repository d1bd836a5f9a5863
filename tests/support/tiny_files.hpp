// Small files for tests, and a look into what a source reads from them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "support/archives.hpp"

namespace cvf::testing_support {

/// Writes 0, 1, 2, ... in storage order, so that every value tells where it lay.
inline data::hdf5::Dataset write_counting(const data::hdf5::Group& parent, const std::string& name,
                                          const data::hdf5::Extents& extents,
                                          const data::hdf5::Storage& storage = {}) {
  auto dataset = parent.create_dataset(name, extents, storage);
  std::vector<double> values(dataset.size());
  std::iota(values.begin(), values.end(), 0.0);
  dataset.write(data::hdf5::Extents(extents.size(), 0), extents, values.data());
  return dataset;
}

inline void write_list(const data::hdf5::Group& parent, const std::string& name,
                       const std::vector<double>& values) {
  parent.write_array(name, values, {data::hdf5::Element::float64});
}

/// An attribute: a list of names of one letter each.
inline void set_letters(const data::hdf5::Object& object, const char* attribute, const std::string& letters) {
  const data::hdf5::Guard guard;
  const hsize_t count = letters.size();
  const data::hdf5::Handle type(H5Tcopy(H5T_C_S1)), space(H5Screate_simple(1, &count, nullptr));
  const data::hdf5::Handle names(
      H5Acreate2(object.id(), attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(names.get(), type.get(), letters.data());
}

enum class Texts { fixed, padded, variable, characters };

/// An attribute: a list of texts, stored as h5py, Fortran, netCDF4 and char arrays do.
inline void set_texts(const data::hdf5::Object& object, const char* attribute,
                      const std::vector<std::string>& texts, Texts kind) {
  using data::hdf5::Handle;
  const data::hdf5::Guard guard;
  constexpr std::size_t width = 12;
  const hsize_t sizes[] = {texts.size(), width};
  const Handle type(H5Tcopy(H5T_C_S1)),
      space(H5Screate_simple(kind == Texts::characters ? 2 : 1, sizes, nullptr));
  const std::size_t size = kind == Texts::variable ? H5T_VARIABLE : kind == Texts::characters ? 1 : width;
  ASSERT_GE(H5Tset_size(type.get(), size), 0);
  ASSERT_GE(H5Tset_strpad(type.get(), kind == Texts::padded ? H5T_STR_SPACEPAD : H5T_STR_NULLPAD), 0);
  std::string block;
  std::vector<const char*> pointers;
  for (const auto& text : texts) {
    block += text + std::string(width - text.size(), kind == Texts::padded ? ' ' : '\0');
    pointers.push_back(text.c_str());
  }
  const Handle values(H5Acreate2(object.id(), attribute, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  const void* bytes = kind == Texts::variable ? static_cast<const void*>(pointers.data()) : block.data();
  ASSERT_GE(H5Awrite(values.get(), type.get(), bytes), 0);
}

/// What The Well says of a field: whether it varies from sample to sample, in time, and along each axis.
inline void set_varying(data::hdf5::Dataset dataset, double sample, double time,
                        const std::vector<double>& along) {
  dataset.set("sample_varying", sample);
  dataset.set("time_varying", time);
  const data::hdf5::Guard guard;
  const hsize_t count = along.size();
  const data::hdf5::Handle space(H5Screate_simple(1, &count, nullptr));
  const data::hdf5::Handle flags(
      H5Acreate2(dataset.id(), "dim_varying", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(flags.get(), H5T_NATIVE_DOUBLE, along.data());
}

/// All frames of one sample, addressed as the source delivers them.
class Frames {
 public:
  Frames(const data::Source& source, std::size_t sample, std::size_t first, std::size_t count)
      : about_(source.description()), values_(count * about_.frame_size()) {
    source.read(sample, first, count, values_);
  }
  Frames(const data::Source& source, std::size_t sample)
      : Frames(source, sample, 0, source.description().frames.at(sample)) {}
  float at(std::size_t t, std::size_t y, std::size_t x, std::size_t c) const {
    const StateSpec& state = about_.state;
    return values_.at(
        ((t * state.size_along("y") + y) * state.size_along("x") + x) * state.count(Role::state) + c);
  }
  const std::vector<float>& values() const { return values_; }

 private:
  const data::Description& about_;
  std::vector<float> values_;
};

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cvf::testing_support

/// Files written by other programs; they lie beside the source tree on some machines only.
#define CVF_REFERENCE_OR_SKIP(path, name)                                              \
  const std::string path = std::string(CVF_SOURCE_DIR "/../shared/reference/") + name; \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no reference file " << name

// Reads reference files that other programs wrote. They live beside the source tree; a test skips when they
// are absent.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace cvf::tests {

inline std::string reference_path(const std::string& name) {
  return std::string(CVF_SOURCE_DIR) + "/../shared/reference/" + name;
}

inline bool has_reference(const std::string& name) {
  return std::filesystem::exists(reference_path(name));
}

/// All values of one dataset, as double, in file order.
inline std::vector<double> read_reference(const std::string& name, const std::string& dataset) {
  const hid_t file = H5Fopen(reference_path(name).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, dataset.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  const herr_t status = H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  if (status < 0) throw std::runtime_error("cannot read " + dataset + " of " + name);
  return values;
}

}  // namespace cvf::tests

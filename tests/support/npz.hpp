// Reads the float64 arrays of an NPZ file (a ZIP of NPY members, stored or deflated). For tests only: it
// trusts the file's sizes no further than the file reaches, and knows no ZIP64.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cvf::test {

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row-major
};

/// Every member by its name without ".npy". Integer members are converted.
std::map<std::string, Array> read_npz(const std::string& path);

}  // namespace cvf::test

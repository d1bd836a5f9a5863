// Small arrays beside the data of a sample, in files of our own layout: the steps behind a forecast, say. The
// other side of GroupsWriter::add.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cvf::data {

/// E.g. read_small_array(file, 0, "steps", "time"). Empty when the sample has no such array.
std::vector<double> read_small_array(const std::string& file, std::size_t sample, const std::string& group,
                                     const std::string& name);

}  // namespace cvf::data

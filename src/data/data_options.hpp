// A data file as a run sees it: which one, how it is read, which channels, what its states move under.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "data/context.hpp"
#include "data/source.hpp"

namespace cvf::data {

/// [data] of a run file.
struct DataOptions {
  std::string file;
  OpenOptions open;
  std::vector<std::string> channels;  // empty: all, in the file's order
  ContextOptions context;
  int nodes = 2;                     // at which the field sees the controls of a step
  int average = 1;                   // means over blocks of this many cells in each direction
  double dt_ref = 0, delta_min = 0;  // 0: from the file's times

  void describe(config::Section& section);
};

/// The file with its chosen channels on its coarsened grid.
std::shared_ptr<const Source> open_data(const DataOptions& options);

/// SHA-256 of a data file; of a file beyond 4 GB, of its size and 64 pieces spread over it.
std::string data_hash(const std::string& file);

}  // namespace cvf::data

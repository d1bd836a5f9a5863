// Which samples are for training, validation and test: explicit index lists, saved with a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/config.hpp"

namespace cvf::data {

struct SplitOptions {
  std::string train, validation,
      test;  // ranges such as "0:800"; all empty = by the shares below, in file order
  double validation_share = 0.1;
  double test_share = 0.1;

  void describe(config::Section& section);
};

struct Splits {
  std::vector<std::size_t> train, validation, test;
};

/// Resolves the options for a file of `samples` samples. A sample in two lists, or an index that the file
/// does not have, is a ConfigError.
Splits make_splits(const SplitOptions& options, std::size_t samples);

/// The options that name these very lists: what a run saves.
SplitOptions explicit_options(const Splits& splits);

}  // namespace cvf::data

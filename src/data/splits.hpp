// Which samples are for training, validation and test: explicit index lists, saved with a run. A range of a
// parameter can be held out: then only test samples have such values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "data/source.hpp"

namespace cvf::data {

/// Values of a parameter that training and validation must not see, from `from` to `to`.
struct HoldOut {
  std::string parameter;  // empty: nothing is held out
  double from = 0, to = 0;

  void describe(config::Section& section);
};

struct SplitOptions {
  std::string train, validation,
      test;  // ranges such as "0:800"; all empty = by the shares below, in file order
  double validation_share = 0.1;
  double test_share = 0.1;
  HoldOut hold_out = {};

  void describe(config::Section& section);
};

struct Splits {
  std::vector<std::size_t> train, validation, test;
};

/// Resolves the lists for a file of `samples` samples. A sample in two lists, or an index that the file does
/// not have, is a ConfigError.
Splits make_splits(const SplitOptions& options, std::size_t samples);

/// The same for a file, and samples of the lists whose parameter is held out become test samples.
Splits make_splits(const SplitOptions& options, const Source& source);

/// The options that name these very lists: what a run saves.
SplitOptions explicit_options(const Splits& splits, const HoldOut& held_out = {});

}  // namespace cvf::data

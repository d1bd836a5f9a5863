// Which samples are for training, validation and test, and which of their frames training sees. Samples are
// explicit index lists, saved with a run. A range of a parameter can be held out: then only test samples have
// such values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

// Which frames of a trajectory training may see (paper, appendix "even" and "dynamic" down-sampling).

enum class Downsampling {
  even,     // frames 0, k, 2k, ...
  dynamic,  // a random 1/k of the frames, drawn once for each sample; true time stamps, so dt varies
};

struct DownsamplingOptions {
  Downsampling kind = Downsampling::even;
  int factor = 1;

  void describe(config::Section& section);
};

/// Indices of the frames kept, increasing; a pure function of its arguments.
std::vector<std::size_t> kept_frames(const DownsamplingOptions& options, std::size_t frames,
                                     std::uint64_t seed, std::size_t sample);

// Lists of indices as people write them: "0:800,900" means 0..799 and 900.

/// `limit` closes an open range ("8:"); an index at or beyond it is a UsageError that names `what`.
std::vector<std::size_t> parse_ranges(std::string_view text, std::size_t limit, std::string_view what);

/// The shortest text that parse_ranges turns back into `indices` (in their order).
std::string write_ranges(const std::vector<std::size_t>& indices);

}  // namespace cvf::data

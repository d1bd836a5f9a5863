#include "data/splits.hpp"

#include <map>
#include <numeric>

#include "core/errors.hpp"
#include "data/ranges.hpp"

namespace cvf::data {
namespace {

std::vector<std::size_t> counted(std::size_t first, std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Splits by_shares(const SplitOptions& options, std::size_t samples) {
  const auto portion = [samples](double share) {
    return static_cast<std::size_t>(share * static_cast<double>(samples) + 0.5);
  };
  const std::size_t validation = portion(options.validation_share);
  const std::size_t test = portion(options.test_share);
  if (validation + test >= samples) {
    throw ConfigError("split: validation {} and test {} leave none of the {} samples for training",
                      validation, test, samples);
  }
  const std::size_t train = samples - validation - test;
  return {counted(0, train), counted(train, validation), counted(train + validation, test)};
}

void refuse_overlap(const Splits& splits) {
  std::map<std::size_t, const char*> owner;
  const auto claim = [&owner](const std::vector<std::size_t>& list, const char* name) {
    for (const std::size_t sample : list) {
      const auto [place, fresh] = owner.emplace(sample, name);
      if (!fresh)
        throw ConfigError("split: sample {} is in {} and again in {}; each sample belongs to one list",
                          sample, place->second, name);
    }
  };
  claim(splits.train, "train");
  claim(splits.validation, "validation");
  claim(splits.test, "test");
}

}  // namespace

void SplitOptions::describe(config::Section& section) {
  section.key("train", &train,
              "training samples, e.g. \"0:800\"; when all three lists are empty the shares decide");
  section.key("validation", &validation, "validation samples");
  section.key("test", &test, "test samples");
  section.key("validation_share", &validation_share,
              "share of the file for validation, after the training part", config::between(0, 1));
  section.key("test_share", &test_share, "share of the file for test, at its end", config::between(0, 1));
}

Splits make_splits(const SplitOptions& options, std::size_t samples) {
  if (options.train.empty() && options.validation.empty() && options.test.empty())
    return by_shares(options, samples);
  Splits splits;
  try {
    splits = {parse_ranges(options.train, samples, "split.train"),
              parse_ranges(options.validation, samples, "split.validation"),
              parse_ranges(options.test, samples, "split.test")};
  } catch (const UsageError& error) {
    throw ConfigError("{}", error.what());  // the lists come from a config file, not from a flag
  }
  refuse_overlap(splits);
  return splits;
}

SplitOptions explicit_options(const Splits& splits) {
  return {write_ranges(splits.train), write_ranges(splits.validation), write_ranges(splits.test), 0, 0};
}

}  // namespace cvf::data

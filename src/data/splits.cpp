#include "data/splits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

std::vector<std::size_t> counted(std::size_t first, std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Splits by_shares(const SplitOptions& options, std::size_t samples) {
  const auto portion = [samples](double share) {
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(samples)));
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

// A parameter of each sample: a scalar of the file, or a channel that the run names as a parameter.
std::vector<double> values_of(const Source& source, const std::string& parameter) {
  const auto& d = source.description();
  const auto& names = d.context.parameters;
  const auto place = std::find(names.begin(), names.end(), parameter);
  std::vector<double> out;
  for (std::size_t sample = 0; sample < d.samples; ++sample) {
    if (place != names.end()) {
      out.push_back(source.context(sample)->parameters.at(static_cast<std::size_t>(place - names.begin())));
      continue;
    }
    const auto scalars = source.scalars(sample);
    const auto found = scalars.find(parameter);
    if (found == scalars.end()) {
      auto known = names;
      for (const auto& [name, value] : scalars) known.push_back(name);
      throw ConfigError("split.hold_out.parameter: {} has no '{}'{}", d.file, parameter,
                        text::suggestion(parameter, known));
    }
    out.push_back(found->second);
  }
  return out;
}

void move_held_out(const HoldOut& held, const Source& source, Splits& splits) {
  if (!(held.from <= held.to))
    throw ConfigError("split.hold_out: from {} to {} is no range; from must not exceed to", held.from,
                      held.to);
  const auto values = values_of(source, held.parameter);
  const auto inside = [&](std::size_t sample) {
    return values[sample] >= held.from && values[sample] <= held.to;
  };
  for (auto* list : {&splits.train, &splits.validation}) {
    std::copy_if(list->begin(), list->end(), std::back_inserter(splits.test), inside);
    std::erase_if(*list, inside);
  }
  std::sort(splits.test.begin(), splits.test.end());
  if (std::none_of(splits.test.begin(), splits.test.end(), inside)) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    throw ConfigError(
        "split.hold_out: no sample of the lists has {} from {} to {}; those of {} go from {} to {}",
        held.parameter, held.from, held.to, source.description().file, *low, *high);
  }
}

}  // namespace

void HoldOut::describe(config::Section& section) {
  section.key("parameter", &parameter,
              "training and validation samples with such values of this parameter become test samples; "
              "empty: none");
  section.key("from", &from, "lowest value that is held out");
  section.key("to", &to, "highest value that is held out");
}

void SplitOptions::describe(config::Section& section) {
  section.key("train", &train,
              "training samples, e.g. \"0:800\"; when all three lists are empty the shares decide");
  section.key("validation", &validation, "validation samples");
  section.key("test", &test, "test samples");
  section.key("validation_share", &validation_share,
              "share of the file for validation, after the training part", config::between(0, 1));
  section.key("test_share", &test_share, "share of the file for test, at its end", config::between(0, 1));
  section.table("hold_out", "values of a parameter that only test samples have",
                [this](config::Section& s) { hold_out.describe(s); });
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

Splits make_splits(const SplitOptions& options, const Source& source) {
  Splits splits = make_splits(options, source.description().samples);
  if (!options.hold_out.parameter.empty()) move_held_out(options.hold_out, source, splits);
  return splits;
}

SplitOptions explicit_options(const Splits& splits, const HoldOut& held_out) {
  return {
      write_ranges(splits.train), write_ranges(splits.validation), write_ranges(splits.test), 0, 0, held_out};
}

void DownsamplingOptions::describe(config::Section& section) {
  static constexpr std::array<std::pair<std::string_view, Downsampling>, 2> kinds{
      {{"even", Downsampling::even}, {"dynamic", Downsampling::dynamic}}};
  section.choice<Downsampling>("kind", kind, kinds,
                               "even: frames 0, k, 2k, ...; dynamic: a random 1/k of the frames");
  section.key("factor", &factor, "k: one frame in k is kept", config::at_least(1));
}

std::vector<std::size_t> kept_frames(const DownsamplingOptions& options, std::size_t frames,
                                     std::uint64_t seed, std::size_t sample) {
  const auto k = static_cast<std::size_t>(options.factor);
  std::vector<std::size_t> kept;
  if (options.kind == Downsampling::even) {
    for (std::size_t frame = 0; frame < frames; frame += k) kept.push_back(frame);
    return kept;
  }
  kept.resize(frames);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  RandomStream(seed, "data.downsampling", sample).shuffle(kept);
  kept.resize(std::min(frames, std::max<std::size_t>(2, (frames + k - 1) / k)));
  std::sort(kept.begin(), kept.end());
  return kept;
}

namespace {

std::size_t parse_bound(std::string_view word, std::size_t if_empty, std::size_t limit,
                        std::string_view what) {
  if (word.empty()) return if_empty;
  const std::int64_t value = text::to_integer(word, what);
  if (value < 0 || static_cast<std::size_t>(value) > limit) {
    throw UsageError("{}: {} is outside 0..{} ({} in all)", what, value, limit == 0 ? 0 : limit - 1, limit);
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

std::vector<std::size_t> parse_ranges(std::string_view list, std::size_t limit, std::string_view what) {
  std::vector<std::size_t> indices;
  if (list.empty()) return indices;
  for (const auto& part : text::split(list, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) {
      if (part.empty()) throw UsageError("{}: '{}' has an empty entry; write e.g. 0:800,900", what, list);
      const std::size_t index = parse_bound(part, 0, limit, what);
      if (index == limit)
        throw UsageError("{}: {} is outside 0..{} ({} in all)", what, index, limit - 1, limit);
      indices.push_back(index);
      continue;
    }
    const std::size_t begin = parse_bound(std::string_view(part).substr(0, colon), 0, limit, what);
    const std::size_t end = parse_bound(std::string_view(part).substr(colon + 1), limit, limit, what);
    if (begin >= end)
      throw UsageError("{}: the range {} is empty; write begin:end with begin < end", what, part);
    for (std::size_t i = begin; i < end; ++i) indices.push_back(i);
  }
  return indices;
}

std::string write_ranges(const std::vector<std::size_t>& indices) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t run = 1;
    while (i + run < indices.size() && indices[i + run] == indices[i] + run) ++run;
    parts.push_back(run == 1 ? fmt::format("{}", indices[i])
                             : fmt::format("{}:{}", indices[i], indices[i] + run));
    i += run;
  }
  return text::join(parts, ",");
}

}  // namespace cvf::data

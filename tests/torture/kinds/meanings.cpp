// Data files whose numbers mean something else than what is stored: missing values, scales and offsets,
// chunks that were never written, groups of which one differs. They are read as docs/data.md says, or
// refused.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

using data::hdf5::Element;
using data::hdf5::Extents;
using data::hdf5::File;
using data::hdf5::Group;

const Extents extents{3, 4, 6, 2};  // of an array with the axes n,t,x,c

struct Stored {
  std::vector<double> values;
  std::vector<float> meant;  // NaN where they are missing
};

std::size_t size() {
  std::size_t out = 1;
  for (const std::size_t extent : extents) out *= extent;
  return out;
}

std::vector<float> read_all(const std::string& file) {
  const auto source = data::open(file);
  const auto& about = source->description();
  std::vector<float> out;
  for (std::size_t sample = 0; sample < about.samples; ++sample) {
    std::vector<float> values(about.frames[sample] * about.frame_size());
    source->read(sample, 0, about.frames[sample], values);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

// convert reads them as they are meant, and audit counts what is missing.
void expect_read_as(const Place& place, const std::vector<float>& meant) {
  const Ran convert = place.run({"data", "convert", "in.h5", "out.h5"});
  expect(convert.code == 0, "convert fails, " + words(convert));
  const auto read = read_all(place.path("out.h5"));
  expect(read.size() == meant.size(), fmt::format("{} values instead of {}", read.size(), meant.size()));
  std::size_t missing = 0;
  for (std::size_t i = 0; i < meant.size(); ++i) {
    missing += std::isnan(meant[i]) ? 1 : 0;
    expect(read[i] == meant[i] || (std::isnan(read[i]) && std::isnan(meant[i])),
           fmt::format("value {} is {} and means {}", i, read[i], meant[i]));
  }
  const Ran audit = place.run({"data", "audit", "in.h5"});
  expect_manners(audit);
  const bool counted = audit.out.find("are NaN or infinite") != std::string::npos;
  expect(counted == (missing > 0),
         fmt::format("{} values are missing, and the audit finds otherwise", missing));
}

// ---- attributes of the CF conventions

Stored packed(double missing, double scale, double offset, RandomStream& random) {
  Stored out;
  for (std::size_t i = 0; i < size(); ++i) {
    const double stored = static_cast<double>(random.below(200)) - 100;
    const bool is_missing = random.below(8) == 0;
    out.values.push_back(is_missing ? missing : stored);
    out.meant.push_back(is_missing ? std::numeric_limits<float>::quiet_NaN()
                                   : static_cast<float>(scale * stored + offset));
  }
  return out;
}

void read_conventions(RandomStream random) {
  const Place place;
  const bool whole = random.below(2) == 0, has_missing = random.below(4) != 0;
  const double missing = whole || random.below(2) == 0 ? -9999 : 1e20;
  const bool packs = whole || random.below(2) == 0;
  const double scale = packs ? std::ldexp(1, static_cast<int>(random.below(8)) - 4) : 1;
  const double offset = packs && random.below(2) == 0 ? 12.5 : 0;
  const auto stored = packed(has_missing ? missing : 7, scale, offset, random);
  auto meant = stored.meant;
  for (std::size_t i = 0; i < size() && !has_missing; ++i)
    meant[i] = static_cast<float>(scale * stored.values[i] + offset);
  {
    auto file = File::create(place.path("in.h5"));
    auto u = file.root().create_dataset("u", extents,
                                        {.element = whole                  ? Element::int64
                                                    : random.below(2) == 0 ? Element::float32
                                                                           : Element::float64});
    u.write(Extents(extents.size(), 0), extents, stored.values.data());
    u.set("axes", "n,t,x,c");
    if (has_missing) u.set(random.below(2) == 0 ? "_FillValue" : "missing_value", missing);
    if (packs) u.set("scale_factor", scale);
    if (offset != 0) u.set("add_offset", offset);
    file.close();
  }
  expect_read_as(place, meant);
}

// ---- chunks

void read_unwritten(RandomStream random) {
  const Place place;
  const Extents chunk{1, 1 + random.below(4), 1 + random.below(6), 2};
  std::vector<float> meant(size(), std::numeric_limits<float>::quiet_NaN());
  {
    auto file = File::create(place.path("in.h5"));
    auto u = file.root().create_dataset("u", extents,
                                        {.chunk = chunk, .deflate = static_cast<int>(random.below(2)) * 4});
    u.set("axes", "n,t,x,c");
    for (std::size_t n = 0; n < extents[0]; ++n) {
      for (std::size_t t = 0; t < extents[1]; t += chunk[1]) {
        for (std::size_t x = 0; x < extents[2]; x += chunk[2]) {
          if (random.below(3) == 0 && n + t + x > 0) continue;  // the first one makes the array a written one
          const Extents start{n, t, x, 0};
          const Extents count{1, std::min(chunk[1], extents[1] - t), std::min(chunk[2], extents[2] - x), 2};
          std::vector<float> values(count[1] * count[2] * 2);
          for (auto& value : values) value = static_cast<float>(random.uniform(-1, 1));
          u.write(start, count, values.data());
          for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t row =
                ((n * extents[1] + t + i / 2 / count[2]) * extents[2] + x + i / 2 % count[2]) * 2;
            meant[row + i % 2] = values[i];
          }
        }
      }
    }
    file.close();
  }
  expect_read_as(place, meant);
}

// ---- groups

enum class Difference { none, length, times, no_times, channels, axes, spacing, grid };

void write_sample(const Group& root, std::size_t sample, Difference difference) {
  const auto group = root.create_group(fmt::format("{:04}", sample));
  const std::size_t frames = difference == Difference::length ? 6 : 4,
                    cells = difference == Difference::grid ? 5 : 8;
  const Extents shape{frames, cells, 8, 2};
  auto data = group.create_dataset("data", shape);
  std::vector<float> values(data.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.1F * static_cast<float>(i + 1000 * sample));
  data.write(Extents(shape.size(), 0), shape, values.data());
  data.set("axes", difference == Difference::axes ? "t,x,y,c" : "t,y,x,c");
  data.set("channels", difference == Difference::channels ? "v,h" : "h,v");
  const auto grid = group.create_group("grid");
  std::vector<double> times, x;
  for (std::size_t k = 0; k < frames; ++k)
    times.push_back((difference == Difference::times ? 0.2 : 0.1) * static_cast<double>(k));
  for (std::size_t k = 0; k < 8; ++k)
    x.push_back((difference == Difference::spacing ? 0.25 : 0.125) * static_cast<double>(k));
  if (difference != Difference::no_times) grid.write_array("t", times, {Element::float64});
  grid.write_array("x", x, {Element::float64});
}

void read_groups(std::size_t number, RandomStream random) {
  constexpr std::size_t samples = 4, differences = 8;
  const auto difference = static_cast<Difference>(number % differences);
  const std::size_t odd = random.below(samples);
  const Place place;
  {
    auto file = File::create(place.path("in.h5"));
    for (std::size_t sample = 0; sample < samples; ++sample)
      write_sample(file.root(), sample, sample == odd ? difference : Difference::none);
    file.close();
  }
  const bool allowed = difference <= Difference::times;
  const Ran ran = random.below(2) == 0 ? place.run({"data", "inspect", "in.h5"})
                                       : place.run({"data", "convert", "in.h5", "out.h5"});
  expect_manners(ran);
  const std::string about = fmt::format("sample {} differs ({}), {}", odd, number % differences, words(ran));
  expect(ran.code == (allowed ? 0 : 4), "the wrong exit code: " + about);
  expect(allowed || ran.err.find("'/000") != std::string::npos, "no sample is named: " + about);
}

}  // namespace

void add_meanings(std::vector<Kind>& kinds) {
  kinds.push_back({"cf-attributes", "_FillValue, missing_value, scale_factor and add_offset", 120,
                   [](std::size_t, RandomStream random) { read_conventions(random); }});
  kinds.push_back({"unwritten-chunks", "arrays of which some chunks were never written", 120,
                   [](std::size_t, RandomStream random) { read_unwritten(random); }});
  kinds.push_back({"groups-differ", "a file of groups with one that differs", 160, read_groups});
}

}  // namespace cvf::torture

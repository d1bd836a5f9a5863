#include "data/data_options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "data/source.hpp"

namespace cvf::data {

void DataOptions::describe(config::Section& s) {
  s.key("file", &file, "data file; its layout is found from its content");
  s.key("dataset", &open.dataset, "path of the array inside a plain HDF5 or NPZ file");
  s.key("axes", &open.axes, "axes of a plain array, e.g. n,t,y,x,c");
  s.key("dt", &open.dt, "time between frames when the file does not tell", config::at_least(0));
  s.key("channels", &channels, "channels to learn, in this order; empty = all");
  context.describe(s);
  s.key("nodes", &nodes, "points of a step at which the field sees the controls", config::between(1, 3));
  s.key("average", &average, "coarsen the grid by means over blocks of this many cells a side",
        config::at_least(1));
  s.key("dt_ref", &dt_ref, "unit of the field's step; 0 = median training interval", config::at_least(0));
  s.key("delta_min", &delta_min, "shortest step of the solver; 0 = median spacing of the source frames",
        config::at_least(0));
}

std::string data_hash(const std::string& file) {
  constexpr std::uintmax_t whole = 4'000'000'000, piece = 1 << 24;
  const auto size = std::filesystem::file_size(file);
  std::ifstream in(file, std::ios::binary);
  std::string block(piece, '\0');
  Sha256 hash;
  const auto add = [&](std::uintmax_t begin, std::uintmax_t count) {
    interrupt::throw_if_requested("the run had not begun");
    in.seekg(static_cast<std::streamoff>(begin));
    in.read(block.data(), static_cast<std::streamsize>(count));
    if (!in) throw DataError("{}: reading failed", file);
    hash.add(std::string_view(block).substr(0, count));
  };
  if (size <= whole) {
    for (std::uintmax_t at = 0; at < size; at += piece) add(at, std::min(piece, size - at));
    return "sha256:" + hex(hash.finish());
  }
  hash.add(fmt::format("{}\n", size));
  for (std::uintmax_t i = 0; i < 64; ++i) add((size - piece) / 63 * i, piece);
  return "sha256-of-64-pieces:" + hex(hash.finish());
}

std::shared_ptr<const Source> open_data(const DataOptions& o) {
  if (!std::filesystem::exists(o.file)) {
    throw DataError(
        "{}: there is no such file (data.file); make it with cvf data generate, or describe it in [generate]",
        o.file);
  }
  std::shared_ptr<const Source> source = open(o.file, o.open);
  if (o.average > 1) source = averaged(source, static_cast<std::size_t>(o.average));
  source = with_context(source, o.context);
  if (!o.channels.empty()) source = with_channels(source, o.channels);
  return source;
}

}  // namespace cvf::data

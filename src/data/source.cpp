#include "data/source.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "data/layouts/layout.hpp"

namespace cvf::data {
namespace {

std::string first_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw DataError("{}: does not exist or cannot be read", file);
  std::string bytes(128, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (stream.bad()) throw DataError("{}: cannot be read: {}", file, std::strerror(errno));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

void refuse_folder(const std::string& file) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(file)) return;
  for (const char* mark : {".zgroup", ".zarray", ".zattrs", "zarr.json"}) {
    if (fs::exists(fs::path(file) / mark)) {
      throw DataError("{}: is a Zarr folder, which is not read; convert it to HDF5 (n,t,y,x,c)", file);
    }
  }
  throw DataError("{}: is a folder, not a file", file);
}

struct Stranger {
  std::string_view begins, what;
};

constexpr std::array strangers{
    Stranger{"MATLAB 5.0", "a MATLAB file before version 7.3; save it with -v7.3 or convert it to HDF5"},
    Stranger{"CDF\x01", "a NetCDF-3 file; convert it to NetCDF-4, which is HDF5 (nccopy -k nc4)"},
    Stranger{"CDF\x02", "a NetCDF-3 file; convert it to NetCDF-4, which is HDF5 (nccopy -k nc4)"},
    Stranger{"CDF\x05", "a NetCDF-3 file; convert it to NetCDF-4, which is HDF5 (nccopy -k nc4)"},
    Stranger{"\x80\x02", "a Python pickle; save its arrays as NPZ or HDF5"},
    Stranger{"\x1f\x8b", "packed with gzip; unpack it first"},
};

std::unique_ptr<Source> open_hdf5(const std::string& file, const OpenOptions& options) {
  const auto root = hdf5::File::open(file).root();
  if (!options.dataset.empty()) return layouts::plain.open(root, options);  // the user knows better
  for (const auto& layout : layouts::table()) {
    if (layout.recognises(root)) return layout.open(root, options);
  }
  throw DataError("{}: follows no known layout", file);
}

}  // namespace

std::unique_ptr<Source> open(const std::string& file, const OpenOptions& options) {
  refuse_folder(file);
  files::require_regular(file);
  if (!std::isfinite(options.dt) || options.dt < 0) {
    throw DataError("{}: dt {} is no time between frames; give a positive number, or 0 for the file's own",
                    file, options.dt);
  }
  const std::string begin = first_bytes(file);
  if (begin.starts_with("\x93NUMPY") || begin.starts_with("PK\x03\x04"))
    return ascending(layouts::open_numpy(file, options));
  if (hdf5::is_hdf5(file)) {
    probe(file, options);
    return ascending(open_hdf5(file, options));
  }
  for (const auto& [begins, what] : strangers) {
    if (begin.starts_with(begins)) throw DataError("{}: is {}", file, what);
  }
  throw DataError("{}: {}; HDF5, NPY and NPZ files are read", file,
                  begin.empty() ? "is empty" : "is none of the formats known, or was cut short");
}

std::vector<float> Source::static_field(std::size_t, const std::string& name) const {
  const auto known = description().state.names(Role::static_field);
  throw DataError("{}: has no static field '{}'{}", description().file, name,
                  known.empty() ? "" : text::suggestion(name, known));
}

std::vector<float> Source::control(std::size_t, const std::string& name) const {
  auto known = description().state.names(Role::control);
  for (const auto& field : description().state.names(Role::control_field)) known.push_back(field);
  throw DataError("{}: has no control '{}'{}", description().file, name,
                  known.empty() ? "" : text::suggestion(name, known));
}

std::vector<double> parameters_of(const Source& source, std::size_t sample) {
  const Description& about = source.description();
  const auto parameters = about.state.names(Role::parameter);
  if (parameters.empty()) return {};
  const auto scalars = source.scalars(sample);
  std::vector<double> out;
  for (const auto& name : parameters) {
    const auto found = scalars.find(name);
    if (found == scalars.end())
      throw DataError("{}: sample {} has no parameter {}", about.file, sample, name);
    if (!std::isfinite(found->second))
      throw DataError("{}: parameter {} of sample {} is {}", about.file, name, sample, found->second);
    out.push_back(found->second);
  }
  return out;
}

void leave_hdf5_as_it_is_at_exit() {
  if (H5dont_atexit() < 0)
    throw Error(Exit::unexpected, "libhdf5 was used before it was set not to close itself at exit");
}

namespace {

// "u 12 of 4096, v 3 of 4096": the values of a whole sample that are not finite.
std::string broken_values(const Source& source, std::size_t sample) {
  const Description& about = source.description();
  const auto channels = about.channels();
  std::vector<std::size_t> broken(channels.size(), 0);
  std::vector<float> frame(about.frame_size());
  const std::size_t frames = about.frames.at(sample);
  for (std::size_t t = 0; t < frames; ++t) {
    source.read(sample, t, 1, frame);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (!std::isfinite(frame[i])) ++broken[i % channels.size()];
    }
  }
  std::vector<std::string> counts;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (broken[c] > 0)
      counts.push_back(fmt::format("{} {} of {}", channels[c], broken[c], frames * about.state.cells()));
  }
  return text::join(counts);
}

}  // namespace

void require_finite(const Source& source, std::size_t sample, std::size_t first,
                    std::span<const float> values) {
  // Without an early way out the compiler checks many values at once; the place is looked for only when
  // needed.
  std::uint32_t broken = 0;
  for (const float value : values) {
    constexpr std::uint32_t exponent = 0x7f800000;  // all ones: infinite or not a number
    broken |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
  }
  if (broken == 0) return;
  const Description& about = source.description();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw DataError(
        "{}: sample {}, frame {}, channel {} holds {}; NaN or infinite in this sample: {}; fill these "
        "values, "
        "or leave the sample out (cvf data convert --samples); cvf data audit lists all samples",
        about.file, sample, first + i / about.frame_size(), about.channels()[i % about.channels().size()],
        values[i], broken_values(source, sample));
  }
}

}  // namespace cvf::data

// How stored values become numbers: the attributes of the CF conventions (missing values, scale and offset),
// and chunks that were never written.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

// What NetCDF takes for float and double, 16, 32 and 64 bits where a file names no fill value.
constexpr std::array netcdf_fills{9.9692099683868690e+36, -32767.0, -2147483647.0, -9223372036854775806.0};

Handle memory_space(std::span<const std::size_t> count, const Dataset& dataset) {
  if (count.empty()) return Handle(checked(H5Screate(H5S_SCALAR), dataset));
  const auto sizes = to_hsize(count);
  return Handle(checked(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), dataset));
}

std::size_t product(std::span<const std::size_t> count) {
  std::size_t out = 1;
  for (const std::size_t extent : count) out *= extent;
  return out;
}

hid_t native(const float*) {
  return H5T_NATIVE_FLOAT;
}

hid_t native(const double*) {
  return H5T_NATIVE_DOUBLE;
}

// The value as a dataset of `type` stores it; nothing when the type cannot hold it.
std::optional<double> as_stored(double value, hid_t type) {
  std::array<double, 2> bytes{value, 0};  // room for types of up to 16 bytes
  if (H5Tget_size(type) > sizeof bytes ||
      H5Tconvert(H5T_NATIVE_DOUBLE, type, 1, bytes.data(), nullptr, H5P_DEFAULT) < 0 ||
      H5Tconvert(type, H5T_NATIVE_DOUBLE, 1, bytes.data(), nullptr, H5P_DEFAULT) < 0) {
    return std::nullopt;
  }
  constexpr double rounding = 1e-3;  // of half precision
  const bool holds = std::abs(bytes[0] - value) <= rounding * std::abs(value);
  return holds ? std::optional(bytes[0]) : std::nullopt;
}

std::vector<double> numbers_of(const Object& object, const char* attribute) {
  auto values = object.numbers(attribute);
  if (values.empty() && object.has_attribute(attribute))
    throw DataError("{}: attribute '{}' is no number; write a number or delete it", object.name(), attribute);
  return values;
}

double number_of(const Object& object, const char* attribute, double otherwise) {
  const auto values = numbers_of(object, attribute);
  if (values.empty()) return otherwise;
  if (values.size() == 1 && std::isfinite(values[0])) return values[0];
  throw DataError("{}: attribute '{}' is {}; it must be one finite number", object.name(), attribute,
                  fmt::join(values, ", "));
}

bool has_own_fill_value(const Dataset& dataset, hid_t creation) {
  H5D_fill_value_t kind = H5D_FILL_VALUE_UNDEFINED;
  checked(H5Pfill_value_defined(creation, &kind), dataset);
  return kind == H5D_FILL_VALUE_USER_DEFINED;
}

bool reads_fill_value(const Dataset& dataset, hid_t creation) {
  H5D_fill_time_t when = H5D_FILL_TIME_NEVER;
  checked(H5Pget_fill_time(creation, &when), dataset);
  return has_own_fill_value(dataset, creation) && when != H5D_FILL_TIME_NEVER;
}

/// Calls `use` with the first entry of each chunk that meets a block.
template <class Use>
void for_each_chunk(const Extents& chunk, std::span<const std::size_t> start,
                    std::span<const std::size_t> count, const Use& use) {
  if (std::find(count.begin(), count.end(), 0U) != count.end()) return;
  const auto first = [&](std::size_t axis) { return start[axis] / chunk[axis] * chunk[axis]; };
  std::vector<hsize_t> corner(chunk.size());
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) corner[axis] = first(axis);
  for (;;) {
    use(corner);
    std::size_t axis = chunk.size();
    while (axis-- > 0) {
      corner[axis] += chunk[axis];
      if (corner[axis] < start[axis] + count[axis]) break;
      corner[axis] = first(axis);
    }
    if (axis > chunk.size()) return;  // every axis has come back to its first chunk
  }
}

}  // namespace

void Dataset::learn_conventions() {
  const Guard guard;
  if (!is_numeric()) return;
  const Handle type(checked(H5Dget_type(id()), *this)), creation(checked(H5Dget_create_plist(id()), *this));
  std::vector<double> missing;
  for (const char* attribute : {"_FillValue", "missing_value"}) {
    for (const double value : numbers_of(*this, attribute)) missing.push_back(value);
  }
  double fill = 0;
  if (has_own_fill_value(*this, creation.get())) {
    checked(H5Pget_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &fill), *this);
    for (const double value : netcdf_fills) {
      if (as_stored(value, type.get()) == fill) missing.push_back(value);
    }
  }
  for (const double value : missing) {
    if (const auto stored = as_stored(value, type.get())) packing_.missing.push_back(*stored);
  }
  packing_.scale = number_of(*this, "scale_factor", 1);
  packing_.offset = number_of(*this, "add_offset", 0);
  packing_.is_real = has_attribute("scale_factor") || has_attribute("add_offset");
  if (packing_.scale == 0) throw DataError("{}: attribute 'scale_factor' is 0", name());
  unwritten_ = count_unwritten();
  has_holes_ = unwritten_ > 0 && !reads_fill_value(*this, creation.get());
  require_read();
}

std::size_t Dataset::count_unwritten() const {
  if (size() == 0) return 0;
  const Extents sizes = chunk();
  if (sizes.empty()) return stored_bytes() == 0 ? 1 : 0;
  std::size_t total = 1;
  for (std::size_t axis = 0; axis < rank(); ++axis) total *= (extents_[axis] + sizes[axis] - 1) / sizes[axis];
  hsize_t written = 0;
  const Handle space(checked(H5Dget_space(id()), *this));
  if (H5Dget_num_chunks(id(), space.get(), &written) < 0)
    throw DataError("{}: its chunks cannot be counted: {}", name(), reason());
  return total - std::min<std::size_t>(written, total);
}

std::string Dataset::remark() const {
  if (unwritten_ == 0 || chunk().empty()) return "";
  return fmt::format(
      "{}: {} chunks were never written; {}", name(), unwritten_,
      has_holes_ ? "their values are missing (NaN)" : "their values are the fill value that the file names");
}

// Before anything of it is read: a chunk that was read counts as written while it is in libhdf5's cache.
bool Dataset::is_written(const std::vector<hsize_t>& corner) const {
  hsize_t bytes = 0;
  const bool found = H5Dget_chunk_storage_size(id(), corner.data(), &bytes) >= 0 && bytes > 0;
  require_read();
  return found;
}

bool Dataset::leave_out_holes(std::span<const std::size_t> start, std::span<const std::size_t> count,
                              hid_t space, hid_t memory) const {
  if (chunk().empty()) throw DataError("{}: was declared but never written", name());
  const Extents sizes = chunk();
  bool leaves_any = true;
  for_each_chunk(sizes, start, count, [&](const std::vector<hsize_t>& corner) {
    if (!leaves_any || is_written(corner)) return;
    std::vector<hsize_t> from(rank()), inside(rank()), extent(rank());
    for (std::size_t axis = 0; axis < rank(); ++axis) {
      from[axis] = std::max<hsize_t>(corner[axis], start[axis]);
      inside[axis] = from[axis] - start[axis];
      extent[axis] = std::min<hsize_t>(corner[axis] + sizes[axis], start[axis] + count[axis]) - from[axis];
    }
    if (H5Sselect_hyperslab(space, H5S_SELECT_NOTB, from.data(), nullptr, extent.data(), nullptr) < 0 ||
        H5Sselect_hyperslab(memory, H5S_SELECT_NOTB, inside.data(), nullptr, extent.data(), nullptr) < 0) {
      throw DataError("{}: cannot be read around chunks that were never written: {}", name(), reason());
    }
    leaves_any = H5Sget_select_npoints(space) > 0;
  });
  return leaves_any;
}

template <class Number>
void Dataset::transfer(std::span<const std::size_t> start, std::span<const std::size_t> count,
                       Number* values) const {
  if (!is_numeric()) throw DataError("{}: holds no numbers", name());
  const Handle space = space_of(start, count), memory = memory_space(count, *this);
  if (has_holes_) {
    std::fill_n(values, product(count), std::numeric_limits<Number>::quiet_NaN());
    if (!leave_out_holes(start, count, space.get(), memory.get())) return;
  }
  const herr_t good = H5Dread(id(), native(values), memory.get(), space.get(), H5P_DEFAULT, values);
  require_read();
  if (good < 0) {
    throw DataError("{}: cannot be read (damaged or cut short?): {}", name(), reason());
  }
}

double Packing::unpacked(double stored) const {
  if (std::find(missing.begin(), missing.end(), stored) != missing.end())
    return std::numeric_limits<double>::quiet_NaN();
  return scale * stored + offset;
}

void Dataset::read(std::span<const std::size_t> start, std::span<const std::size_t> count,
                   double* values) const {
  const Guard guard;
  transfer(start, count, values);
  if (packing_.is_plain()) return;
  std::transform(values, values + product(count), values,
                 [this](double stored) { return packing_.unpacked(stored); });
}

void Dataset::read(std::span<const std::size_t> start, std::span<const std::size_t> count,
                   float* values) const {
  const Guard guard;
  if (packing_.is_plain()) {
    transfer(start, count, values);
  } else {
    std::vector<double> exact(product(count));
    read(start, count, exact.data());
    std::transform(exact.begin(), exact.end(), values,
                   [](double value) { return static_cast<float>(value); });
  }
  if (element_size() > sizeof(float) || !packing_.is_plain()) require_in_range(start, count, values);
}

void Dataset::require_in_range(std::span<const std::size_t> start, std::span<const std::size_t> count,
                               const float* values) const {
  const std::size_t size = product(count);
  if (std::none_of(values, values + size, [](float value) { return std::isinf(value); })) return;
  std::vector<double> exact(size);
  read(start, count, exact.data());
  const auto found = std::find_if(exact.begin(), exact.end(), [](double value) {
    return std::isfinite(value) && std::isinf(static_cast<float>(value));
  });
  if (found == exact.end()) return;
  Extents place(start.begin(), start.end());
  auto left = static_cast<std::size_t>(found - exact.begin());
  for (std::size_t axis = place.size(); axis-- > 0; left /= count[axis]) place[axis] += left % count[axis];
  throw DataError("{}: entry [{}] is {}, beyond the range of float32; rescale the values", name(),
                  fmt::join(place, ", "), *found);
}

}  // namespace cvf::data::hdf5

// Attributes: texts and lists of texts of fixed and variable length, numbers, and h5py's booleans (an
// enumeration of int8).
#include <algorithm>
#include <cstring>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

constexpr hssize_t most_values = 1 << 20;  // an attribute is a remark, not a dataset
constexpr std::size_t most_bytes = 1 << 24;

struct Attribute {
  Handle handle, type, space;
  std::size_t count = 0;
};

std::optional<Attribute> open_attribute(const Object& object, const std::string& name) {
  if (checked(H5Aexists(object.id(), name.c_str()), object) == 0) return std::nullopt;
  Attribute found;
  found.handle = Handle(checked(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), object));
  found.type = Handle(checked(H5Aget_type(found.handle.get()), object));
  found.space = Handle(checked(H5Aget_space(found.handle.get()), object));
  const hssize_t count = checked(H5Sget_simple_extent_npoints(found.space.get()), object);
  if (count > most_values) return std::nullopt;
  found.count = static_cast<std::size_t>(count);
  return found;
}

Handle text_type(const Object& object, std::size_t size, H5T_cset_t encoding) {
  Handle type(checked(H5Tcopy(H5T_C_S1), object));
  checked(H5Tset_size(type.get(), size), object);
  checked(H5Tset_cset(type.get(), encoding), object);
  return type;
}

std::vector<std::string> read_variable(const Object& object, const Attribute& attribute) {
  const Handle type = text_type(object, H5T_VARIABLE, checked(H5Tget_cset(attribute.type.get()), object));
  std::vector<char*> pointers(attribute.count, nullptr);
  if (H5Aread(attribute.handle.get(), type.get(), pointers.data()) < 0) return {};
  std::vector<std::string> values;
  for (const char* text : pointers) values.emplace_back(text == nullptr ? "" : text);
  checked(H5Dvlen_reclaim(type.get(), attribute.space.get(), H5P_DEFAULT, pointers.data()), object);
  return values;
}

// NetCDF's and Fortran's arrays of characters: the entries of the last axis are one text.
std::size_t characters_per_text(const Attribute& attribute) {
  const int rank = H5Sget_simple_extent_ndims(attribute.space.get());
  if (rank < 2 || H5Tget_size(attribute.type.get()) != 1) return 1;
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  if (H5Sget_simple_extent_dims(attribute.space.get(), sizes.data(), nullptr) < 0) return 1;
  return static_cast<std::size_t>(sizes.back());
}

std::vector<std::string> read_fixed(const Attribute& attribute) {
  const std::size_t characters = characters_per_text(attribute), count = attribute.count / characters;
  const std::size_t width = H5Tget_size(attribute.type.get()) * characters;
  const bool padded = H5Tget_strpad(attribute.type.get()) == H5T_STR_SPACEPAD || characters > 1;
  if (width == 0 || width > most_bytes / count) return {};
  std::vector<char> bytes(width * count);
  if (H5Aread(attribute.handle.get(), attribute.type.get(), bytes.data()) < 0) return {};
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) {
    const char* text = bytes.data() + i * width;
    values.emplace_back(text, strnlen(text, width));
    if (padded) values.back().erase(values.back().find_last_not_of(' ') + 1);
  }
  return values;
}

std::vector<std::string> read_texts(const Object& object, const Attribute& attribute) {
  if (attribute.count == 0 || H5Tget_class(attribute.type.get()) != H5T_STRING) return {};
  return H5Tis_variable_str(attribute.type.get()) > 0 ? read_variable(object, attribute)
                                                      : read_fixed(attribute);
}

bool is_numeric(const Attribute& attribute) {
  const H5T_class_t kind = H5Tget_class(attribute.type.get());
  return kind == H5T_FLOAT || kind == H5T_INTEGER || kind == H5T_ENUM;
}

std::vector<double> read_numbers(const Attribute& attribute) {
  if (attribute.count == 0 || !is_numeric(attribute)) return {};
  std::vector<double> values(attribute.count);
  if (H5Aread(attribute.handle.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

herr_t collect(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

void write_scalar(const Object& object, const std::string& name, hid_t type, const void* value) {
  if (checked(H5Aexists(object.id(), name.c_str()), object) > 0)
    checked(H5Adelete(object.id(), name.c_str()), object);
  const Handle space(checked(H5Screate(H5S_SCALAR), object));
  const Handle attribute(H5Acreate2(object.id(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute || H5Awrite(attribute.get(), type, value) < 0) {
    throw DataError("{}: attribute '{}' cannot be written: {}", object.name(), name, reason());
  }
}

}  // namespace

std::vector<std::string> Object::attribute_names() const {
  const Guard guard;
  std::vector<std::string> names;
  hsize_t position = 0;
  const herr_t good = H5Aiterate2(id(), H5_INDEX_NAME, H5_ITER_INC, &position, collect, &names);
  require_read();
  if (good < 0) {
    throw DataError("{}: attributes cannot be listed: {}", name(), reason());
  }
  return names;
}

bool Object::has_attribute(const std::string& attribute) const {
  const Guard guard;
  const bool found = checked(H5Aexists(id(), attribute.c_str()), *this) > 0;
  require_read();
  return found;
}

std::vector<std::string> Object::texts(const std::string& attribute) const {
  const Guard guard;
  const auto found = open_attribute(*this, attribute);
  auto values = found ? read_texts(*this, *found) : std::vector<std::string>{};
  require_read();
  if (found && found->count > 0 && values.empty() && !is_numeric(*found)) {
    throw DataError("{}: attribute '{}' is neither text nor numbers; write a text or a list of texts", name(),
                    attribute);
  }
  return values;
}

std::vector<double> Object::numbers(const std::string& attribute) const {
  const Guard guard;
  const auto found = open_attribute(*this, attribute);
  auto values = found ? read_numbers(*found) : std::vector<double>{};
  require_read();
  return values;
}

std::optional<std::string> Object::text(const std::string& attribute) const {
  const auto values = texts(attribute);
  return values.empty() ? std::nullopt : std::optional(text::join(values, ","));
}

std::optional<double> Object::number(const std::string& attribute) const {
  const auto values = numbers(attribute);
  return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
}

std::optional<std::string> Object::shown(const std::string& attribute) const {
  const Guard guard;
  const auto found = open_attribute(*this, attribute);
  require_read();
  const auto words = found ? read_texts(*this, *found) : std::vector<std::string>{};
  if (!words.empty()) return text::join(words, ", ");
  const auto values = numbers(attribute);
  if (values.empty() || values.size() > 16) return std::nullopt;
  return fmt::format("{}", fmt::join(values, ", "));
}

void Object::set(const std::string& attribute, std::string_view value) {
  const Guard guard;
  // Of fixed length: no detour over a heap, so any reader can show it.
  const Handle type = text_type(*this, value.size() + 1, H5T_CSET_UTF8);
  write_scalar(*this, attribute, type.get(), std::string(value).c_str());
}

void Object::set(const std::string& attribute, double value) {
  const Guard guard;
  write_scalar(*this, attribute, H5T_NATIVE_DOUBLE, &value);
}

void Object::set(const std::string& attribute, std::int64_t value) {
  const Guard guard;
  write_scalar(*this, attribute, H5T_NATIVE_INT64, &value);
}

}  // namespace cvf::data::hdf5

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "model/safetensors/header.hpp"

namespace cvf::model::safetensors {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};

constexpr std::array<Row, 13> table{{{Dtype::boolean, "BOOL", 1},
                                     {Dtype::u8, "U8", 1},
                                     {Dtype::i8, "I8", 1},
                                     {Dtype::u16, "U16", 2},
                                     {Dtype::i16, "I16", 2},
                                     {Dtype::f16, "F16", 2},
                                     {Dtype::bf16, "BF16", 2},
                                     {Dtype::u32, "U32", 4},
                                     {Dtype::i32, "I32", 4},
                                     {Dtype::f32, "F32", 4},
                                     {Dtype::u64, "U64", 8},
                                     {Dtype::i64, "I64", 8},
                                     {Dtype::f64, "F64", 8}}};

}  // namespace

std::string_view name_of(Dtype dtype) {
  return table[static_cast<std::size_t>(dtype)].name;
}

std::size_t size_of(Dtype dtype) {
  return table[static_cast<std::size_t>(dtype)].size;
}

std::optional<Dtype> dtype_named(std::string_view name) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const Row& r) { return r.name == name; });
  if (row == table.end()) return std::nullopt;
  return row->dtype;
}

std::optional<std::uint64_t> byte_count(Dtype dtype, std::span<const std::int64_t> shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::uint64_t count = size_of(dtype);
  for (const std::int64_t side : shape) {
    const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / count;
    if (side < 0 || static_cast<std::uint64_t>(side) > limit) return std::nullopt;
    count *= static_cast<std::uint64_t>(side);
  }
  return count;
}

std::string words(std::span<const std::int64_t> shape) {
  constexpr std::size_t longest = 8;
  const auto first = shape.first(std::min(shape.size(), longest));
  return fmt::format("[{}{}]", fmt::join(first, ", "), shape.size() > longest ? ", ..." : "");
}

std::string shown(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string out = "'";
  for (const char c : name.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(c);
    out += code < 0x20 || code == 0x7f ? '?' : c;
  }
  return out + (name.size() > longest ? "...'" : "'");
}

}  // namespace cvf::model::safetensors

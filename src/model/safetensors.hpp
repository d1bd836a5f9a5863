// The safetensors format: eight bytes of header length, a JSON header, the tensors' bytes. No code in it, and
// none of LibTorch here: plain bytes in, plain bytes out, so that the reader can be fuzzed and used anywhere.
//
// A file is refused with one ModelError sentence unless every byte is accounted for: no unknown types, no
// duplicate names, no overlap, no hole, nothing behind the last tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cvf::model::safetensors {

enum class Dtype { boolean, u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64 };

std::string_view name_of(Dtype dtype);  // "F32", as the header spells it
std::size_t size_of(Dtype dtype);       // bytes of one value

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;   // empty: one value
  std::span<const std::byte> bytes;  // little-endian, row-major; belongs to someone else
};

struct Contents {
  std::vector<Tensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// Reads a whole file that is in memory; the tensors point into `file`. `path` is for the sentences.
Contents parse(std::string_view file, std::string_view path);
Contents parse(std::string&& file, std::string_view path) = delete;  // the tensors would outlive their bytes

/// The bytes of a file with these tensors: the same bytes whatever their order. Wide types come first, then
/// names in order, so every tensor is aligned for its type.
std::string serialize(const Contents& contents);

}  // namespace cvf::model::safetensors

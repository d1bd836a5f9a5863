#include "model/expected.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "model/safetensors/header.hpp"

namespace cvf::model {
namespace {

using safetensors::Dtype;
using safetensors::name_of;
using safetensors::shown;
using safetensors::words;

bool widens(Dtype from, Dtype to) {
  return (from == Dtype::f16 || from == Dtype::bf16) && (to == Dtype::f32 || to == Dtype::f64);
}

void check(const safetensors::Tensor& stored, const ExpectedTensor& expected, std::string_view path) {
  if (expected.shape != stored.shape) {
    throw ModelError("{}: tensor {} has the shape {}, not {} as the configuration asks for", path,
                     shown(stored.name), words(stored.shape), words(expected.shape));
  }
  if (stored.dtype != expected.dtype && !widens(stored.dtype, expected.dtype)) {
    throw ModelError("{}: tensor {} has the type {}, not {}", path, shown(stored.name), name_of(stored.dtype),
                     name_of(expected.dtype));
  }
}

void refuse_extra(const safetensors::Contents& contents, std::span<const ExpectedTensor> expected,
                  std::string_view path) {
  std::vector<std::string> known;
  for (const auto& tensor : expected) known.push_back(tensor.name);
  const std::set<std::string> wanted(known.begin(), known.end());
  for (const auto& stored : contents.tensors) {
    if (wanted.contains(stored.name)) continue;
    const std::string near = text::nearest(stored.name, known);
    throw ModelError("{}: tensor {} has no place in this model{}", path, shown(stored.name),
                     near.empty() ? "" : fmt::format(" (it has '{}')", near));
  }
}

// One sign bit, five of exponent, ten of fraction.
float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  float size = 0;
  if (exponent == 0x1f) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return std::copysign(size, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

// The upper half of a float.
float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class Stored>
std::vector<Stored> raw(const safetensors::Tensor& tensor) {
  std::vector<Stored> out(tensor.bytes.size() / sizeof(Stored));
  if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), out.size() * sizeof(Stored));
  return out;
}

template <class T>
std::vector<T> widened(const safetensors::Tensor& tensor, float (*widen)(std::uint16_t)) {
  std::vector<T> out;
  for (const auto bits : raw<std::uint16_t>(tensor)) out.push_back(static_cast<T>(widen(bits)));
  return out;
}

}  // namespace

std::vector<const safetensors::Tensor*> matched(const safetensors::Contents& contents, std::string_view path,
                                                std::span<const ExpectedTensor> expected) {
  std::map<std::string_view, const safetensors::Tensor*> stored;
  for (const auto& tensor : contents.tensors) stored.emplace(tensor.name, &tensor);
  std::vector<const safetensors::Tensor*> out;
  for (const auto& wanted : expected) {
    const auto found = stored.find(wanted.name);
    if (found == stored.end()) {
      throw ModelError("{}: tensor {} is missing; it should be {} {}", path, shown(wanted.name),
                       name_of(wanted.dtype), words(wanted.shape));
    }
    check(*found->second, wanted, path);
    out.push_back(found->second);
  }
  refuse_extra(contents, expected, path);
  return out;
}

template <class T>
std::vector<T> values_of(const safetensors::Tensor& tensor) {
  if (tensor.dtype == Dtype::f16) return widened<T>(tensor, from_half);
  if (tensor.dtype == Dtype::bf16) return widened<T>(tensor, from_bfloat16);
  return raw<T>(tensor);
}

template std::vector<float> values_of<float>(const safetensors::Tensor&);
template std::vector<double> values_of<double>(const safetensors::Tensor&);

}  // namespace cvf::model

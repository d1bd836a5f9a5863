// The tensors that a file must hold, no more and no less.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/safetensors.hpp"

namespace cvf::model {

struct ExpectedTensor {
  std::string name;
  safetensors::Dtype dtype;
  std::vector<std::int64_t> shape;
};

/// The file's tensors in the order of `expected`. Shapes are equal, and types, but that F16 and BF16 may
/// stand for a wider one. A missing, extra or unlike tensor is a ModelError that names it.
std::vector<const safetensors::Tensor*> matched(const safetensors::Contents& contents, std::string_view path,
                                                std::span<const ExpectedTensor> expected);

/// The values of a floating-point tensor, widened where they are F16 or BF16.
template <class T>
std::vector<T> values_of(const safetensors::Tensor& tensor);

}  // namespace cvf::model

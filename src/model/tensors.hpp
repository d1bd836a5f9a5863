// LibTorch's side of safetensors: the parameters and buffers of a module under their plain names
// (blocks.0.qkv.weight).
#pragma once

#include <string>
#include <string_view>

#include "model/safetensors.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::model {

using normalizers::NamedTensors;

/// Parameters, then buffers; they share memory with the module.
NamedTensors tensors_of(const torch::nn::Module& module);

/// The bytes of a safetensors file with these tensors, from whatever device they are on.
std::string to_safetensors(const NamedTensors& tensors,
                           const std::map<std::string, std::string>& metadata = {});

/// The tensors of a file in the order, shapes and types of `expected`; F16 and BF16 are widened to what is
/// expected. A missing, extra or unlike tensor is a ModelError that names it.
NamedTensors from_safetensors(std::string_view file, std::string_view path, const NamedTensors& expected);

/// Whatever tensors a file holds, and its texts.
struct TensorFile {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
};
TensorFile all_tensors(std::string_view file, std::string_view path);

/// Copies the tensors of a file into the module, all of them or (on an error) none.
void load_into(torch::nn::Module& module, std::string_view file, std::string_view path);

}  // namespace cvf::model

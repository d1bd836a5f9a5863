#include "model/tensors.hpp"

#include <array>
#include <cstring>

#include "core/errors.hpp"
#include "model/expected.hpp"
#include "model/safetensors/header.hpp"

namespace cvf::model {
namespace {

using safetensors::Dtype;
using safetensors::name_of;
using safetensors::shown;
using torch::Tensor;

constexpr std::array<std::pair<Dtype, c10::ScalarType>, 10> types{{{Dtype::boolean, torch::kBool},
                                                                   {Dtype::u8, torch::kByte},
                                                                   {Dtype::i8, torch::kChar},
                                                                   {Dtype::i16, torch::kShort},
                                                                   {Dtype::i32, torch::kInt},
                                                                   {Dtype::i64, torch::kLong},
                                                                   {Dtype::f16, torch::kHalf},
                                                                   {Dtype::bf16, torch::kBFloat16},
                                                                   {Dtype::f32, torch::kFloat},
                                                                   {Dtype::f64, torch::kDouble}}};

Dtype dtype_of(const std::string& name, const Tensor& tensor) {
  for (const auto& [dtype, type] : types) {
    if (type == tensor.scalar_type()) return dtype;
  }
  throw ModelError("tensor {} has the type {}, which is not saved", shown(name),
                   c10::toString(tensor.scalar_type()));
}

// The type is one of `types`: the caller compared it with that of a tensor.
Tensor tensor_of(const safetensors::Tensor& stored, std::string_view path) {
  for (const auto& [dtype, type] : types) {
    if (dtype != stored.dtype) continue;
    Tensor out = torch::empty(stored.shape, type);
    std::memcpy(out.data_ptr(), stored.bytes.data(), stored.bytes.size());
    return out;
  }
  throw ModelError("{}: tensor {} has the type {}, which is not read", path, shown(stored.name),
                   name_of(stored.dtype));
}

}  // namespace

NamedTensors tensors_of(const torch::nn::Module& module) {
  NamedTensors out;
  for (const auto& item : module.named_parameters()) out.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) out.emplace_back(item.key(), item.value());
  return out;
}

std::string to_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
  std::vector<Tensor> kept;  // the bytes below point into these
  safetensors::Contents contents{.tensors = {}, .metadata = metadata};
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().to(torch::kCPU).contiguous());
    const auto* bytes = static_cast<const std::byte*>(kept.back().data_ptr());
    contents.tensors.push_back(
        {name, dtype_of(name, tensor), tensor.sizes().vec(), {bytes, kept.back().nbytes()}});
  }
  return safetensors::serialize(contents);
}

NamedTensors from_safetensors(std::string_view file, std::string_view path, const NamedTensors& expected) {
  const auto contents = safetensors::parse(file, path);
  std::vector<ExpectedTensor> wanted;
  for (const auto& [name, tensor] : expected)
    wanted.push_back({name, dtype_of(name, tensor), tensor.sizes().vec()});
  const auto stored = matched(contents, path, wanted);
  NamedTensors out;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto type = expected[i].second.scalar_type();
    out.emplace_back(expected[i].first, tensor_of(*stored[i], path).to(type));
  }
  return out;
}

TensorFile all_tensors(std::string_view file, std::string_view path) {
  const auto contents = safetensors::parse(file, path);
  TensorFile out{{}, contents.metadata};
  for (const auto& stored : contents.tensors) out.tensors.emplace_back(stored.name, tensor_of(stored, path));
  return out;
}

void load_into(torch::nn::Module& module, std::string_view file, std::string_view path) {
  const NamedTensors own = tensors_of(module);
  const NamedTensors loaded = from_safetensors(file, path, own);
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < own.size(); ++i) {
    Tensor target = own[i].second;
    target.copy_(loaded[i].second);
  }
}

}  // namespace cvf::model

#include "runtime/weights.hpp"

#include "model/expected.hpp"

namespace cvf::runtime {

Weights::Weights(std::string_view file, std::string_view path,
                 const std::vector<fields::TensorSize>& expected) {
  using model::safetensors::Dtype;
  const auto contents = model::safetensors::parse(file, path);
  std::vector<model::ExpectedTensor> wanted;
  for (const auto& tensor : expected) wanted.push_back({tensor.name, Dtype::f32, tensor.sizes});
  const auto stored = model::matched(contents, path, wanted);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto* bytes = stored[i]->bytes.data();
    const bool as_it_is =
        stored[i]->dtype == Dtype::f32 && reinterpret_cast<std::uintptr_t>(bytes) % alignof(float) == 0;
    tensors_[wanted[i].name] = {as_it_is ? reinterpret_cast<const float*>(bytes)
                                         : copies_->emplace_back(model::values_of<float>(*stored[i])).data(),
                                wanted[i].shape};
  }
}

Weights Weights::within(const std::string& beginning) const {
  Weights out;
  out.copies_ = copies_;
  for (const auto& [name, tensor] : tensors_) {
    if (name.starts_with(beginning)) out.tensors_[name.substr(beginning.size())] = tensor;
  }
  return out;
}

kernels::DenseLayer Weights::dense(const std::vector<std::string>& names) const {
  const std::int64_t in = tensors_.at(names.front() + ".weight").sizes.at(1);
  if (names.size() == 1)
    return {layer(names.front()), in, tensors_.at(names.front() + ".weight").sizes.front()};
  std::vector<float> weight, bias;
  for (const auto& name : names) {
    const auto [matrix, vector] = layer(name);
    const std::int64_t out = tensors_.at(name + ".weight").sizes.front();
    weight.insert(weight.end(), matrix, matrix + out * in);
    bias.insert(bias.end(), vector, vector + out);
  }
  return {{weight.data(), bias.data()}, in, static_cast<std::int64_t>(bias.size())};
}

}  // namespace cvf::runtime

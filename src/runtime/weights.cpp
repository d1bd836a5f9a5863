#include "runtime/weights.hpp"

#include "model/expected.hpp"

namespace cvf::runtime {
namespace {

using model::safetensors::Dtype;

template <class T>
constexpr Dtype type_of = Dtype::f32;
template <>
constexpr Dtype type_of<double> = Dtype::f64;

}  // namespace

template <class T>
WeightsOf<T>::WeightsOf(std::string_view file, std::string_view path,
                        const std::vector<fields::TensorSize>& expected) {
  const auto contents = model::safetensors::parse(file, path);
  std::vector<model::ExpectedTensor> wanted;
  for (const auto& tensor : expected) wanted.push_back({tensor.name, type_of<T>, tensor.sizes});
  const auto stored = model::matched(contents, path, wanted);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const auto* bytes = stored[i]->bytes.data();
    const bool as_it_is =
        stored[i]->dtype == type_of<T> && reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) == 0;
    tensors_[wanted[i].name] = {as_it_is ? reinterpret_cast<const T*>(bytes)
                                         : copies_->emplace_back(model::values_of<T>(*stored[i])).data(),
                                wanted[i].shape};
  }
}

template <class T>
WeightsOf<T> WeightsOf<T>::within(const std::string& beginning) const {
  WeightsOf out;
  out.copies_ = copies_;
  for (const auto& [name, tensor] : tensors_) {
    if (name.starts_with(beginning)) out.tensors_[name.substr(beginning.size())] = tensor;
  }
  return out;
}

template class WeightsOf<float>;
template class WeightsOf<double>;

kernels::DenseLayer dense_of(const Weights& weights, const std::vector<std::string>& names) {
  const auto outputs = [&](const std::string& name) { return weights.sizes(name + ".weight").front(); };
  const std::int64_t in = weights.sizes(names.front() + ".weight").at(1);
  if (names.size() == 1) return {layer_of(weights, names.front()), in, outputs(names.front())};
  std::vector<float> weight, bias;
  for (const auto& name : names) {
    const auto [matrix, vector] = layer_of(weights, name);
    weight.insert(weight.end(), matrix, matrix + outputs(name) * in);
    bias.insert(bias.end(), vector, vector + outputs(name));
  }
  return {{weight.data(), bias.data()}, in, static_cast<std::int64_t>(bias.size())};
}

}  // namespace cvf::runtime

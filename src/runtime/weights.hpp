// The tensors of a model's file by name, checked against what its network takes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fields/networks.hpp"
#include "kernels/dense_layer.hpp"

namespace cvf::runtime {

/// Of float or double, as the model was trained.
template <class T>
class WeightsOf {
 public:
  /// Points into the file, which must outlive it; half precision is widened. A ModelError names a tensor that
  /// is missing, has no place, or is unlike what is expected.
  WeightsOf(std::string_view file, std::string_view path, const std::vector<fields::TensorSize>& expected);

  /// Those whose names begin so, under the rest of their names.
  WeightsOf within(const std::string& beginning) const;

  const T* at(const std::string& name) const { return tensors_.at(name).values; }
  const std::vector<std::int64_t>& sizes(const std::string& name) const { return tensors_.at(name).sizes; }

 private:
  struct Tensor {
    const T* values;
    std::vector<std::int64_t> sizes;
  };
  WeightsOf() = default;
  std::map<std::string, Tensor> tensors_;
  std::shared_ptr<std::deque<std::vector<T>>> copies_ = std::make_shared<std::deque<std::vector<T>>>();
};
using Weights = WeightsOf<float>;

inline kernels::LayerValues layer_of(const Weights& weights, const std::string& name) {
  return {weights.at(name + ".weight"), weights.at(name + ".bias")};
}
/// A linear layer, packed for the CPU kernels; or several on the same input, whose results stand side by
/// side.
kernels::DenseLayer dense_of(const Weights& weights, const std::vector<std::string>& names);
inline kernels::DenseLayer dense_of(const Weights& weights, const std::string& name) {
  return dense_of(weights, std::vector{name});
}

}  // namespace cvf::runtime

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

class Weights {
 public:
  /// Points into the file, which must outlive it; half precision is widened. A ModelError names a tensor that
  /// is missing, has no place, or is unlike what is expected.
  Weights(std::string_view file, std::string_view path, const std::vector<fields::TensorSize>& expected);

  /// Those whose names begin so, under the rest of their names.
  Weights within(const std::string& beginning) const;

  const float* at(const std::string& name) const { return tensors_.at(name).values; }
  kernels::LayerValues layer(const std::string& name) const {
    return {at(name + ".weight"), at(name + ".bias")};
  }
  /// A linear layer, packed; or several on the same input, whose results stand side by side.
  kernels::DenseLayer dense(const std::string& name) const { return dense(std::vector{name}); }
  kernels::DenseLayer dense(const std::vector<std::string>& names) const;

 private:
  struct Tensor {
    const float* values;
    std::vector<std::int64_t> sizes;
  };
  Weights() = default;
  std::map<std::string, Tensor> tensors_;
  std::shared_ptr<std::deque<std::vector<float>>> copies_ =
      std::make_shared<std::deque<std::vector<float>>>();
};

}  // namespace cvf::runtime

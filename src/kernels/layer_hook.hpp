// Looking into a network while it is evaluated: to find the layer where numbers go wrong. While a LayerHook
// lives on a thread, every layer of that thread's evaluations is told to it, and the composed operations run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/torch.hpp"

namespace cvf::kernels {

class LayerHook {
 public:
  using Listener = std::function<void(const std::string& layer, const torch::Tensor& output)>;

  explicit LayerHook(Listener listener);
  ~LayerHook();
  LayerHook(const LayerHook&) = delete;
  LayerHook& operator=(const LayerHook&) = delete;

  static bool active();
};

/// Tells a watch, if there is one, and gives the tensor through.
torch::Tensor hooked(std::string_view layer, torch::Tensor output);
torch::Tensor hooked(std::string_view group, std::size_t index, torch::Tensor output);

}  // namespace cvf::kernels

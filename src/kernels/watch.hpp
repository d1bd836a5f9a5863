// Looking into a network while it is evaluated: to find the layer where numbers go wrong. While a Watch lives
// on a thread, every layer of that thread's evaluations is told to it, and the composed operations run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/torch.hpp"

namespace cvf::kernels {

class Watch {
 public:
  using Listener = std::function<void(const std::string& layer, const torch::Tensor& output)>;

  explicit Watch(Listener listener);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  static bool active();
};

/// Tells a watch, if there is one, and gives the tensor through.
torch::Tensor watched(std::string_view layer, torch::Tensor output);
torch::Tensor watched(std::string_view group, std::size_t index, torch::Tensor output);

}  // namespace cvf::kernels

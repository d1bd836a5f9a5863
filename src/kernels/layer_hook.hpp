// Looking into a network while it is evaluated: to find the layer where numbers go wrong. While a LayerHook
// lives on a thread, every layer of that thread's evaluations is told to it, and the composed operations run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/torch.hpp"

namespace cvf::kernels {

class LayerHook {
 public:
  using Listener = std::function<void(const std::string& layer, const torch::Tensor& output)>;

  explicit LayerHook(Listener listener) {
    if (active()) throw UsageError("a thread has one layer hook at a time");
    current() = std::move(listener);
  }
  ~LayerHook() { current() = nullptr; }
  LayerHook(const LayerHook&) = delete;
  LayerHook& operator=(const LayerHook&) = delete;

  static bool active() { return static_cast<bool>(current()); }
  /// The hook of this thread; empty: there is none.
  static Listener& current() {
    static thread_local Listener listener;
    return listener;
  }
};

/// Tells the hook, if there is one, and gives the tensor through.
inline torch::Tensor hooked(std::string_view layer, torch::Tensor output) {
  if (LayerHook::active()) LayerHook::current()(std::string(layer), output);
  return output;
}
inline torch::Tensor hooked(std::string_view group, std::size_t index, torch::Tensor output) {
  if (LayerHook::active()) LayerHook::current()(fmt::format("{}.{}", group, index), output);
  return output;
}

}  // namespace cvf::kernels

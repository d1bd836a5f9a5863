#include "kernels/layer_hook.hpp"

#include "core/errors.hpp"

namespace cvf::kernels {
namespace {

thread_local LayerHook::Listener current;

}  // namespace

LayerHook::LayerHook(Listener listener) {
  if (active()) throw UsageError("a thread has one watch at a time");
  current = std::move(listener);
}

LayerHook::~LayerHook() {
  current = nullptr;
}

bool LayerHook::active() {
  return static_cast<bool>(current);
}

torch::Tensor hooked(std::string_view layer, torch::Tensor output) {
  if (current) current(std::string(layer), output);
  return output;
}

torch::Tensor hooked(std::string_view group, std::size_t index, torch::Tensor output) {
  if (current) current(fmt::format("{}.{}", group, index), output);
  return output;
}

}  // namespace cvf::kernels

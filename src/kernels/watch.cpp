#include "kernels/watch.hpp"

#include "core/errors.hpp"

namespace cvf::kernels {
namespace {

thread_local Watch::Listener current;

}  // namespace

Watch::Watch(Listener listener) {
  if (active()) throw UsageError("a thread has one watch at a time");
  current = std::move(listener);
}

Watch::~Watch() {
  current = nullptr;
}

bool Watch::active() {
  return static_cast<bool>(current);
}

torch::Tensor watched(std::string_view layer, torch::Tensor output) {
  if (current) current(std::string(layer), output);
  return output;
}

torch::Tensor watched(std::string_view group, std::size_t index, torch::Tensor output) {
  if (current) current(fmt::format("{}.{}", group, index), output);
  return output;
}

}  // namespace cvf::kernels

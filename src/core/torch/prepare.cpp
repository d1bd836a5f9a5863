#include "core/threads.hpp"
#include "core/torch.hpp"

namespace cvf::tensors {

void prepare() {
  static const bool done = [] {
    threads::add_pool([](int count) { at::set_num_threads(count); });
    return true;
  }();
  (void)done;
}

}  // namespace cvf::tensors

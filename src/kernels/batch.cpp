#include "kernels/batch.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "kernels/forward.hpp"

namespace cvf::kernels {
namespace {

std::size_t activation_budget = 288u << 20;
std::atomic<std::size_t> bytes_kept{0};

constexpr std::size_t most_gradient_bytes = 64u << 20;

torch::Tensor activation_tensor(std::size_t floats) {
  Buffer buffer = make_buffer(floats);
  const std::size_t bytes = buffer.get_deleter().bytes;
  bytes_kept += bytes;
  return torch::from_blob(buffer.release(), {static_cast<std::int64_t>(floats)}, [bytes](void* p) {
    bytes_kept -= bytes;
    FreeBuffer{bytes}(static_cast<float*>(p));
  });
}

}  // namespace

int thread_count(long parts_of_a_sample) {
  return threads_for(parts_of_a_sample, omp_get_max_threads());
}

int group_room(int threads, std::size_t bytes_of_a_sum) {
  const auto most = static_cast<int>(std::min<std::size_t>(most_gradient_bytes / bytes_of_a_sum, 1 << 20));
  return most < threads ? 0 : std::min(most, group_limit(threads));
}

void set_activation_budget(std::size_t bytes) {
  activation_budget = bytes;
}

std::size_t activation_budget_bytes() {
  return activation_budget;
}

Kept make_kept(std::int64_t batch, long floats, long fewer_floats) {
  const auto all = static_cast<std::size_t>(batch * floats);
  const bool hidden = bytes_kept + all * sizeof(float) <= activation_budget;
  return {hidden, activation_tensor(hidden ? all : static_cast<std::size_t>(batch * fewer_floats))};
}

std::int64_t comfortable_rows(long floats, double evaluations) {
  const double sample = sizeof(float) * static_cast<double>(floats);
  const double usable =
      0.95 * static_cast<double>(activation_budget);  // buffers are rounded up to whole pages
  const std::int64_t threads = omp_get_max_threads();
  const auto rows = static_cast<std::int64_t>(usable / (sample * evaluations));
  return std::max(threads, rows / threads * threads);
}

}  // namespace cvf::kernels

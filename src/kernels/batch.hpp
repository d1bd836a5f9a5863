// Running CPU kernels over a batch of tensors: which of them the kernels can read, how many threads take
// part, and what may be held for the backward pass.
#pragma once

#include <cstdint>

#include "core/torch.hpp"
#include "kernels/groups.hpp"

namespace cvf::kernels {

/// Can be read without a library's help.
inline bool is_plain_float(const torch::Tensor& t) {
  return t.device().is_cpu() && t.scalar_type() == torch::kFloat && t.layout() == torch::kStrided;
}

/// And its values follow one another.
inline bool is_dense_float(const torch::Tensor& t) {
  return is_plain_float(t) && t.is_contiguous();
}

/// No more threads than can share one sample.
int thread_count(long parts_of_a_sample);

/// Each group of samples has its own sum of weight gradients. Groups that there is workspace for; 0: not even
/// one a thread.
int group_room(int threads, std::size_t bytes_of_a_sum);

/// What a forward pass leaves for its backward pass.
struct Kept {
  bool hidden = true;    // everything; else backward computes some of it again
  torch::Tensor values;  // [B * floats of a sample]
};

/// Bytes that all evaluations waiting for their backward pass may keep in comfort. An evaluation that would
/// exceed it keeps less and computes the rest again.
void set_activation_budget(std::size_t bytes);
std::size_t activation_budget_bytes();

/// `floats` and `fewer_floats` of a sample, with and without the hidden values.
Kept make_kept(std::int64_t batch, long floats, long fewer_floats);

/// Samples of so many floats for each of their evaluations that stay within the budget; a multiple of the
/// threads.
std::int64_t comfortable_rows(long floats, double evaluations);

}  // namespace cvf::kernels

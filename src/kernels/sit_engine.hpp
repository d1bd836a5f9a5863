// Runs the CPU kernels over a batch: which thread takes which sample, and where the scratch is.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/sit_pack.hpp"

namespace cvf::kernels {

/// What a forward pass leaves for its backward pass.
struct Kept {
  cpu::KeepPlan keep;
  torch::Tensor values;  // [B * keep.sample] floats
};

struct Gradients {
  torch::Tensor state, modulation;     // undefined when not wanted
  std::vector<torch::Tensor> weights;  // as flat_weights
};

struct Wanted {
  bool state, modulation;
  std::vector<bool> weights;
};

/// state [B,C,H,W], modulation [B,M], both contiguous float; `kept` is null when no gradient will be asked.
torch::Tensor run_forward(const PackedWeights& packed, const torch::Tensor& state,
                          const torch::Tensor& modulation, Kept* kept);

Gradients run_backward(const PackedWeights& packed, const std::vector<torch::Tensor>& weights,
                       const torch::Tensor& state, const torch::Tensor& modulation, const Kept& kept,
                       const torch::Tensor& velocity_gradient, const Wanted& wanted);

/// Bytes that all evaluations waiting for their backward pass may keep in comfort. While they do, the wide
/// middle of each block is kept too (a tenth faster); an evaluation that would exceed it keeps half as much
/// and computes the middle again.
void set_activation_budget(std::size_t bytes);

/// Seconds of every part of the fused passes, summed over threads, since the last call; the first call begins
/// the counting and the engine counts until `stop_part_seconds`.
using PartSeconds = std::array<double, cpu::part_count>;
PartSeconds take_part_seconds();
void stop_part_seconds();

}  // namespace cvf::kernels

// Runs the kernels of the token stream over a batch.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/fused.hpp"
#include "kernels/sit_pack.hpp"

namespace cvf::kernels {

/// state [B,C,H,W], modulation [B,M], both contiguous float; `kept` is null when no gradient will be asked.
torch::Tensor run_forward(const PackedWeights& packed, const torch::Tensor& state,
                          const torch::Tensor& modulation, Kept* kept);

Gradients run_backward(const PackedWeights& packed, const std::vector<torch::Tensor>& weights,
                       const torch::Tensor& state, const torch::Tensor& modulation, const Kept& kept,
                       const torch::Tensor& velocity_gradient, const Wanted& wanted);

/// Seconds of every part of the fused passes, summed over threads, since the last call; the first call begins
/// the counting and the engine counts until `stop_part_seconds`.
using PartSeconds = std::array<double, cpu::part_count>;
PartSeconds take_part_seconds();
void stop_part_seconds();

}  // namespace cvf::kernels

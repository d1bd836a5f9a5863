// Between the weights of a network as PyTorch lays them out and the panels of the CPU kernels.
#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/conv_plan.hpp"
#include "kernels/cpu/plan.hpp"

namespace cvf::kernels {

struct LayerValues {
  const float *weight, *bias;  // [out,in,...], [out]
};
struct LayerPlaces {
  float *weight, *bias;  // null: not wanted
};

/// One linear layer to its place in a packed buffer.
void pack_layer(const cpu::LinearPlan& plan, const LayerValues& layer, float* packed);
void pack_layer_transposed(const cpu::LinearPlan& plan, const LayerValues& layer, float* transposed);
/// A gradient, packed as the weights are, as the library has it.
void unpack_layer(const cpu::LinearPlan& plan, const float* sum, const LayerPlaces& layer);

/// patch, then qkv, project, expand, contract of each block, then output; positions [N,D].
void pack_sit(const cpu::Plan& plan, std::span<const LayerValues> layers, const float* positions,
              float* packed, int threads);
void pack_sit_transposed(const cpu::Plan& plan, std::span<const LayerValues> layers, float* transposed,
                         int threads);
/// Adds up the gradients of `parts`, packed as the weights are, and writes them as the library has them.
void unpack_sit(const cpu::Plan& plan, const std::vector<const float*>& parts,
                std::span<const LayerPlaces> layers, int threads);

/// lift, then spatial and mix of each block, then output. `transposed` may be null: it is for backward only.
void pack_conv(const cpu::ConvPlan& plan, std::span<const LayerValues> layers, float* packed,
               float* transposed);
void unpack_conv(const cpu::ConvPlan& plan, const float* sum, std::span<const LayerPlaces> layers);

}  // namespace cvf::kernels

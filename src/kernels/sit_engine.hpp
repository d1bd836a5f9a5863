// The fused token stream: a network's weights in the panel layout of the CPU kernels, packed once for each
// version of the weights, and the kernels run over a batch.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/fused.hpp"
#include "kernels/memory.hpp"
#include "kernels/sit.hpp"
#include "kernels/sit_plan.hpp"

namespace cvf::kernels {

/// patch, then qkv, project, expand, contract of each block, then output; weight before bias.
std::vector<torch::Tensor> flat_weights(const SitTrunk& trunk);

class PackedWeights {
 public:
  PackedWeights(const SitTrunk& trunk, std::shared_ptr<const cpu::Plan> plan);

  const cpu::Plan& plan() const { return *plan_; }
  std::shared_ptr<const cpu::Plan> shared_plan() const { return plan_; }
  const WeightStamps& stamps() const { return stamps_; }
  const float* weights() const { return weights_.get(); }
  const float* transposed(const std::vector<torch::Tensor>& weights) const;  // made when first asked for

 private:
  std::shared_ptr<const cpu::Plan> plan_;
  WeightStamps stamps_;
  Buffer weights_;
  mutable Buffer transposed_;
  mutable std::once_flag transposed_made_;
};

/// Adds up the threads' gradients and writes them as tensors of the weights' shapes; undefined where not
/// wanted.
std::vector<torch::Tensor> unpack_gradients(const cpu::Plan& plan, const std::vector<const float*>& parts,
                                            const std::vector<bool>& wanted);

/// Remembers the last packing of one field.
class WeightCache {
 public:
  std::shared_ptr<const PackedWeights> get(const SitTrunk& trunk, const std::vector<torch::Tensor>& weights);

 private:
  std::mutex mutex_;
  std::shared_ptr<const PackedWeights> last_;
};

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

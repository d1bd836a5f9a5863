// Residual convolutions, dilated and modulated by the step: a field for grids of one or two axes. It has no
// positions, so it takes a grid of any size.
#pragma once

#include "fields/field.hpp"
#include "fields/networks.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/conv.hpp"

namespace cvf::fields {

class Conv : public VelocityField {
 public:
  using Options = ConvOptions;

  Conv(const StateShape& shape, const Options& options, std::uint64_t seed);

  static double values(const StateShape& shape, const Options& options) { return options.values(shape); }

  using VelocityField::forward;
  torch::Tensor forward(const Query& query) override;
  bool conditioned() const override { return options_.conditioned; }
  bool any_grid() const override { return true; }
  double flops() const override;
  double training_bytes(double evaluations) const override;
  std::int64_t micro_batch_rows(double evaluations) const override;

  /// (shift, scale, gate) of all blocks for the steps dt [B] -> [B, blocks*3*D]
  torch::Tensor modulation(const torch::Tensor& dt, const torch::Tensor& conditions = {});
  kernels::ConvTrunk trunk() const;

 private:
  kernels::Engine engine() const;
  bool trains_fused() const;
  void add_block(torch::nn::Module& parent, std::size_t index, std::uint64_t seed);

  struct Kernel : torch::nn::Module {  // named as PyTorch's Conv2d names them
    torch::Tensor weight, bias;
  };
  using KernelPointer = std::shared_ptr<Kernel>;
  KernelPointer make_kernel(std::int64_t in, std::int64_t out, Draw draw, std::uint64_t seed,
                            const std::string& name) const;

  struct Block {
    KernelPointer spatial;
    torch::nn::Linear mix{nullptr}, modulate{nullptr};
  };
  Options options_;
  kernels::ConvSize size_;
  std::shared_ptr<kernels::ConvCache> cache_;
  KernelPointer lift_, output_;
  StepEmbedding step_{nullptr};
  std::vector<Block> blocks_;
};

}  // namespace cvf::fields

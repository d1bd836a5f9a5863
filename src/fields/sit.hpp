// SiT: a transformer over patches whose layers are modulated by the step.
#pragma once

#include "fields/field.hpp"
#include "fields/networks.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/sit.hpp"

namespace cvf::fields {

class Sit : public VelocityField {
 public:
  using Options = SitOptions;

  Sit(const StateShape& shape, const Options& options, std::uint64_t seed);
  static double values(const StateShape& shape, const Options& options) { return options.values(shape); }

  using VelocityField::forward;
  torch::Tensor forward(const Query& query) override;
  bool conditioned() const override { return options_.conditioned; }
  double flops() const override;
  double training_bytes(double evaluations) const override;
  std::int64_t micro_batch_rows(double evaluations) const override;

  /// (shift, scale, gate) of all layers for the steps dt [B] -> [B, depth*6*D + 2*D]
  torch::Tensor modulation(const torch::Tensor& dt, const torch::Tensor& conditions = {});
  kernels::SitTrunk trunk() const;

 private:
  kernels::Engine engine() const;
  bool trains_fused() const;
  void add_block(torch::nn::Module& parent, std::int64_t index, std::uint64_t seed);

  struct Block {
    torch::nn::Linear qkv{nullptr}, project{nullptr}, expand{nullptr}, contract{nullptr}, modulate{nullptr};
  };
  Options options_;
  kernels::SitSize size_;
  std::shared_ptr<kernels::WeightCache> cache_;
  torch::nn::Linear patch_{nullptr}, final_modulate_{nullptr}, output_{nullptr};
  StepEmbedding step_{nullptr};
  std::vector<Block> blocks_;
  torch::Tensor positions_;  // [N,D], constant
};

}  // namespace cvf::fields

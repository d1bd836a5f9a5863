// A residual network for small vector states: the blocks of SiT without attention, on one token.
#pragma once

#include "fields/field.hpp"
#include "fields/networks.hpp"
#include "fields/parts/layers.hpp"
#include "kernels/mlp.hpp"

namespace cvf::fields {

class Mlp : public VelocityField {
 public:
  using Options = MlpOptions;

  Mlp(const StateShape& shape, const Options& options, std::uint64_t seed);
  static double values(const StateShape& shape, const Options& options) { return options.values(shape); }

  using VelocityField::forward;
  torch::Tensor forward(const Query& query) override;
  bool conditioned() const override { return options_.conditioned; }
  double flops() const override;
  double training_bytes(double evaluations) const override;

 private:
  struct Block {
    torch::nn::Linear expand{nullptr}, contract{nullptr}, modulate{nullptr};
  };
  kernels::Engine engine() const;
  torch::Tensor modulation(const torch::Tensor& dt, const torch::Tensor& conditions);
  kernels::MlpTrunk trunk() const;
  Block make_block(torch::nn::Module& parent, int index, std::uint64_t seed);

  Options options_;
  kernels::MlpSize size_;
  std::shared_ptr<kernels::MlpCache> cache_ = kernels::make_mlp_cache();
  torch::nn::Linear input_{nullptr}, final_modulate_{nullptr}, output_{nullptr};
  StepEmbedding step_{nullptr};
  std::vector<Block> blocks_;
};

}  // namespace cvf::fields

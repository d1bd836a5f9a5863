// The configurations whose speed is promised, and one inference or training step on them.
#pragma once

#include <torch/optim/adamw.h>

#include <string>
#include <vector>

#include "fields/sit.hpp"

namespace cvf::bench {

struct Configuration {
  std::string name;
  int side, patch, width, depth, heads, batch;
  std::string field = "sit";
};

/// Of sit: S, A, B and A1 (A with batch 1). Of conv: widths 32 and 64 on grids of 16 to 128 cells a side,
/// other widths on 32. Of mlp: one.
std::vector<Configuration> configurations();

class Problem {
 public:
  Problem(const Configuration& configuration, bool fused, bool winograd = true);

  void infer();
  void train();  // forward, backward to weights and state, AdamW
  void
  triangle();  // three evaluations as the rupture loss has them: two in one batch, then one on their result
  double flops() const { return field_->flops() * static_cast<double>(configuration_.batch); }  // forward
  fields::VelocityField& field() { return *field_; }
  fields::Sit& sit();  // when it is one
  double batch() const { return configuration_.batch; }

  /// Two pieces of a step on their own: the modulation (with its gradients when training), and the seconds
  /// that the last training steps spent in the optimiser, one step's share.
  void modulate(bool training);
  double update_seconds();

 private:
  void update();

  Configuration configuration_;
  bool fused_;
  fields::FieldPointer field_;
  torch::Tensor state_, dt_, target_;
  std::vector<torch::Tensor> parameters_, means_, squares_;
  std::unique_ptr<torch::optim::AdamW> library_;
  std::int64_t step_ = 0;
  double update_seconds_ = 0;
  int updates_ = 0;
};

}  // namespace cvf::bench

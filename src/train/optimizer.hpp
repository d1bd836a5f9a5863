// AdamW over a field's parameters, or Muon for the matrices inside it and AdamW for the rest: decay on
// matrices only, the gradients of a field clipped by their common norm, and an optional running average of
// the weights; and the learning rate over a run, as a factor of the peak.
#pragma once

#include <string>
#include <vector>

#include "core/config.hpp"
#include "core/torch.hpp"
#include "normalizers/normalizer.hpp"
#include "train/muon.hpp"

namespace cvf::train {

enum class Schedule {
  paper,    // linear warm-up, linear decay to the floor, constant at the floor
  cosine,   // linear warm-up, half a cosine down to the floor
  constant  // linear warm-up only
};

struct ScheduleOptions {
  Schedule kind = Schedule::paper;
  double warmup = 0.05;  // share of the run
  double decay = 0.75;   // share of the run; paper's only
  double floor = 0.1;    // of the peak

  void describe(config::Section& section);
};

/// `progress` is the share of the run that is done after this step, in (0, 1].
double rate_factor(const ScheduleOptions& options, double progress);

using normalizers::NamedTensors;

struct OptimizerOptions {
  std::string name = "adamw";
  double learning_rate = 1e-4;
  double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  double decay = 0.01;
  double clip = 1;  // 0: no clipping
  MuonOptions muon;

  void describe(config::Section& section);
};

class Optimizer {
 public:
  /// `averaging` > 0 is the decay of the averaged weights.
  Optimizer(torch::nn::Module& module, const OptimizerOptions& options, double averaging);

  void clear_gradients();
  std::vector<torch::Tensor> gradients() const;  // of the parameters that have one
  /// Of each member of the field: one must not shorten the gradient of another.
  std::vector<double> gradient_norms() const;

  /// Clips by the norms that gradient_norms() gave and moves the weights; `factor` scales the learning rate.
  void step(const std::vector<double>& norms, double factor);

  std::int64_t steps() const { return steps_; }
  bool averages() const { return averaging_ > 0; }

  /// Exchanges the weights and their average: for validation and saving, and back again.
  void swap_average();

  /// What a checkpoint keeps: moments, and the average where there is one. The tensors share memory.
  const NamedTensors& state() const { return state_; }
  void load(const NamedTensors& state, std::int64_t steps);

 private:
  OptimizerOptions options_;
  double averaging_;
  std::int64_t steps_ = 0;
  std::vector<torch::Tensor> parameters_, average_;
  std::vector<std::size_t> members_;  // of each parameter
  struct {
    std::vector<torch::Tensor> parameters, means, squares;
  } adamw_;
  std::vector<InnerMatrix> matrices_;  // Muon's
  NamedTensors state_;
};

}  // namespace cvf::train

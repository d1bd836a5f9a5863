#include "train/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "fields/members.hpp"
#include "kernels/optimizer.hpp"

namespace cvf::train {

using torch::Tensor;

void OptimizerOptions::describe(config::Section& s) {
  s.key("name", &name, "adamw, or muon: Muon for the matrices of residual blocks, AdamW for the rest",
        config::one_of({"adamw", "muon"}));
  s.key("learning_rate", &learning_rate, "highest learning rate", config::above(0));
  s.key("beta1", &beta1, "memory of the gradient's mean", config::between(0, 0.999999));
  s.key("beta2", &beta2, "memory of the gradient's square", config::between(0, 0.9999999));
  s.key("epsilon", &epsilon, "added to the root of the square", config::above(0));
  s.key("decay", &decay, "weight decay, on matrices only", config::at_least(0));
  s.key("clip", &clip, "longest gradient; 0 = no clipping", config::at_least(0));
  s.table("muon", "the inner matrices when name = muon", [this](config::Section& t) { muon.describe(t); });
}

Optimizer::Optimizer(torch::nn::Module& module, const OptimizerOptions& options, double averaging)
    : options_(options), averaging_(averaging) {
  const torch::NoGradGuard no_gradients;
  for (const auto& item : module.named_parameters()) {
    const Tensor& parameter = item.value();
    const Tensor mean = torch::zeros_like(parameter);
    parameters_.push_back(parameter);
    members_.push_back(fields::member_of(item.key()));
    state_.emplace_back("mean." + item.key(), mean);
    if (options.name == "muon" && is_inner_matrix(fields::name_within_member(item.key()), parameter)) {
      matrices_.push_back({parameter, mean});
    } else {
      adamw_.parameters.push_back(parameter);
      adamw_.means.push_back(mean);
      adamw_.squares.push_back(torch::zeros_like(parameter));
      state_.emplace_back("square." + item.key(), adamw_.squares.back());
    }
    if (!averages()) continue;
    average_.push_back(parameter.detach().clone());
    state_.emplace_back("average." + item.key(), average_.back());
  }
}

// Set to zero in place rather than dropped: the buffers are used again in the next step.
void Optimizer::clear_gradients() {
  for (auto& p : parameters_) {
    if (p.grad().defined()) p.mutable_grad().zero_();
  }
}

std::vector<Tensor> Optimizer::gradients() const {
  std::vector<Tensor> out;
  for (const auto& p : parameters_) {
    if (p.grad().defined()) out.push_back(p.grad());
  }
  return out;
}

std::vector<double> Optimizer::gradient_norms() const {
  const torch::NoGradGuard no_gradients;
  std::vector<std::vector<Tensor>> norms(members_.empty() ? 1 : members_.back() + 1);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].grad().defined()) norms[members_[i]].push_back(parameters_[i].grad().norm());
  }
  std::vector<double> out;
  for (const auto& own : norms)
    out.push_back(own.empty() ? 0 : torch::stack(own).to(torch::kDouble).norm().item<double>());
  return out;
}

void Optimizer::step(const std::vector<double>& norms, double factor) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const double norm = norms.at(members_[i]);
    if (options_.clip > 0 && norm > options_.clip && parameters_[i].grad().defined())
      parameters_[i].mutable_grad().mul_(options_.clip / (norm + 1e-6));
  }
  ++steps_;
  kernels::fused_adamw(adamw_.parameters, adamw_.means, adamw_.squares, steps_,
                       {.learning_rate = options_.learning_rate * factor,
                        .beta1 = options_.beta1,
                        .beta2 = options_.beta2,
                        .epsilon = options_.epsilon,
                        .decay = options_.decay});
  const double inner_rate =
      options_.muon.learning_rate > 0 ? options_.muon.learning_rate : options_.learning_rate;
  muon_step(matrices_, options_.muon, inner_rate * factor);
  for (std::size_t i = 0; i < average_.size(); ++i) average_[i].lerp_(parameters_[i], 1 - averaging_);
}

void Optimizer::swap_average() {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < average_.size(); ++i) {
    const Tensor weights = parameters_[i].detach().clone();
    parameters_[i].copy_(average_[i]);
    average_[i].copy_(weights);
  }
}

void Optimizer::load(const NamedTensors& state, std::int64_t steps) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    if (state_[i].first != state.at(i).first) {
      throw ModelError("the moments of {} stand where those of {} should", state[i].first, state_[i].first);
    }
    state_[i].second.copy_(state[i].second);
  }
  steps_ = steps;
}

void ScheduleOptions::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Schedule> kinds[]{
      {"paper", Schedule::paper}, {"cosine", Schedule::cosine}, {"constant", Schedule::constant}};
  s.choice<Schedule>("kind", kind, kinds,
                     "paper: linear decay, then constant; cosine: half a cosine; constant: warm-up only");
  s.key("warmup", &warmup, "share of the run in which the learning rate rises from 0", config::between(0, 1));
  s.key("decay", &decay, "share of the run in which it falls to the floor (paper)", config::between(0, 1));
  s.key("floor", &floor, "lowest learning rate, as a share of the highest", config::between(0, 1));
}

double rate_factor(const ScheduleOptions& o, double progress) {
  if (progress < o.warmup) return progress / o.warmup;
  const double after = progress - o.warmup;
  switch (o.kind) {
    case Schedule::paper:
      return o.decay > 0 ? 1 - (1 - o.floor) * std::min(1.0, after / o.decay) : o.floor;
    case Schedule::cosine: {
      const double share = o.warmup < 1 ? std::min(1.0, after / (1 - o.warmup)) : 1;
      return o.floor + (1 - o.floor) * 0.5 * (1 + std::cos(std::numbers::pi * share));
    }
    case Schedule::constant:
      break;
  }
  return 1;
}

}  // namespace cvf::train

#include "problem.hpp"

#include <fmt/format.h>

#include "../figures.hpp"
#include "fields/conv.hpp"
#include "fields/mlp.hpp"
#include "kernels/optimizer.hpp"

namespace cvf::bench {

namespace {

fields::FieldPointer make_field(const Configuration& c, bool fused, bool winograd) {
  const std::string engine = fused ? "auto" : "composed";
  if (c.field == "mlp") {
    fields::Mlp::Options options;
    options.width = c.width, options.depth = c.depth, options.engine = engine;
    return std::make_shared<fields::Mlp>(fields::StateShape{.channels = 2, .dt_ref = 0.1}, options, 1);
  }
  const fields::StateShape shape{2, c.side, c.side, 0.1};
  if (c.field == "conv") {
    fields::Conv::Options options;
    options.patch = c.patch, options.width = c.width, options.depth = c.depth;
    options.engine = fused && !winograd ? "direct" : engine;
    return std::make_shared<fields::Conv>(shape, options, 1);
  }
  fields::Sit::Options options;
  options.patch = c.patch, options.width = c.width, options.depth = c.depth, options.heads = c.heads;
  options.engine = engine;
  return std::make_shared<fields::Sit>(shape, options, 1);
}

}  // namespace

std::vector<Configuration> configurations() {
  std::vector<Configuration> out{{"S", 32, 4, 96, 4, 4, 64},
                                 {"A", 64, 4, 128, 4, 4, 32},
                                 {"B", 128, 8, 512, 8, 8, 4},
                                 {"A1", 64, 4, 128, 4, 4, 1},
                                 {"mlp", 1, 1, 128, 3, 1, 256, "mlp"}};
  for (const int width : {16, 32, 48, 64, 128}) {
    for (const int side : {16, 32, 64, 128}) {
      if (side == 32 || width == 32 || width == 64)
        out.push_back({fmt::format("conv{}x{}", width, side), side, 1, width, 1, 1, 16, "conv"});
    }
  }
  return out;
}

Problem::Problem(const Configuration& c, bool fused, bool winograd)
    : configuration_(c), fused_(fused), field_(make_field(c, fused, winograd)) {
  torch::manual_seed(1);
  torch::NoGradGuard no_grad;
  for (auto& p : field_->parameters())
    p.add_(0.02 * torch::randn_like(p));  // away from the zeros it starts with
  state_ = c.field == "mlp" ? torch::randn({c.batch, 2}) : torch::randn({c.batch, 2, c.side, c.side});
  target_ = torch::randn_like(state_);
  dt_ = torch::full({c.batch}, 0.1);
  parameters_ = field_->parameters();
  for (const auto& p : parameters_) {
    means_.push_back(torch::zeros_like(p));
    squares_.push_back(torch::zeros_like(p));
  }
  library_ =
      std::make_unique<torch::optim::AdamW>(parameters_, torch::optim::AdamWOptions(1e-4).betas({0.9, 0.99}));
}

fields::Sit& Problem::sit() {
  return dynamic_cast<fields::Sit&>(*field_);
}

void Problem::infer() {
  torch::NoGradGuard no_grad;
  field_->forward(state_, dt_);
}

void Problem::update() {
  if (fused_) {
    kernels::fused_adamw(parameters_, means_, squares_, ++step_, {});
  } else {
    library_->step();
  }
  for (auto& p : parameters_) p.mutable_grad().reset();  // as zero_grad does in newer libraries, for both
}

void Problem::train() {
  const auto state = state_.detach().requires_grad_();
  (field_->forward(state, dt_) - target_).square().mean().backward();
  update_seconds_ += seconds([&] { update(); });
  ++updates_;
}

void Problem::modulate(bool training) {
  torch::AutoGradMode gradients(training);
  const auto m = sit().modulation(dt_);
  if (!training) return;
  m.backward(torch::ones_like(m));
  for (auto& p : parameters_) p.mutable_grad().reset();
}

double Problem::update_seconds() {
  const double out = updates_ == 0 ? 0 : update_seconds_ / updates_;
  update_seconds_ = 0, updates_ = 0;
  return out;
}

void Problem::triangle() {
  const auto state = state_.detach().requires_grad_();
  const auto both = field_->forward(torch::cat({state, state}), torch::cat({dt_, 0.5 * dt_})).chunk(2);
  const auto &whole = both[0], &first = both[1];
  const auto second = field_->forward(state + 0.05 * first, 0.5 * dt_);
  const auto rupture = 0.5 * first + 0.5 * second - whole;
  ((whole - target_).square().mean() + rupture.square().mean()).backward();
  update();
}

}  // namespace cvf::bench

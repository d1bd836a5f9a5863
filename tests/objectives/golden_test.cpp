// Every objective against losses, gradients and training steps of an independent implementation.
#include "support/golden.hpp"

#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>

#include "core/registry.hpp"
#include "kernels/optimizer.hpp"
#include "objectives/objective.hpp"
#include "objectives/rupture.hpp"
#include "support/objectives.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

struct Case {
  std::string name;  // as in the file
  std::string objective, toml;
};

class GoldenObjectives : public test::GoldenFile {
 protected:
  Batch batch(const std::string& name, torch::Dtype dtype) const {
    const auto state = [&](const char* key) { return normalizers::Model{normalised(key).to(dtype)}; };
    Batch out{{state("b.s0"), state("b.s1"), state("b.s2")},
              torch::stack({tensor("b.dt"), tensor("b.dt")}),
              {},
              {}};
    if (name == "tm") {  // the file gives the point itself: a spline that starts there
      out.frames[0] = state("b.sx");
      const Tensor velocity = normalizer_->model_velocity(normalizer_->target({tensor("b.vx")}));
      out.slopes = {velocity.to(dtype), velocity.to(dtype)};
    }
    return out;
  }

  Draws draws(const std::string& name) const {
    const Tensor r = tensor("b.r");
    return {torch::stack({r, 1 - r}), {}, name == "tm" ? torch::zeros_like(r) : r};
  }

  Losses losses(const Case& c, fields::VelocityField& field) const {
    const auto dtype = field.parameters()[0].scalar_type();
    return test::objective(c.objective, c.toml)
        ->loss({field, *normalizer_}, batch(c.name, dtype), draws(c.name));
  }

  // Relative errors of the loss and of the worst gradient.
  std::pair<double, double> errors(const Case& c, torch::Dtype dtype) {
    auto field = make_field(dtype);
    const Losses ours = losses(c, *field);
    const Tensor theirs = tensor("loss." + c.name);
    double loss = distance(ours.total, theirs[0]), gradient = 0;
    if (ours.parts.size() == 2 && c.objective == "cvf") {
      loss = std::max(
          {loss, distance(ours.parts[0].second, theirs[1]), distance(ours.parts[1].second, theirs[2])});
    }
    ours.total.backward();
    for (const auto& p : field->named_parameters()) {
      const Tensor expected = tensor("g." + c.name + "." + their_name(p.key()));
      if (p.value().grad().defined()) gradient = std::max(gradient, distance(p.value().grad(), expected));
      EXPECT_TRUE(p.value().grad().defined()) << p.key();
    }
    return {loss, gradient};
  }

  // [loss, gradient norm before clipping] of 10 AdamW steps
  Tensor train(torch::Dtype dtype) {
    auto field = make_field(dtype);
    std::vector<Tensor> parameters = field->parameters(), means, squares;
    for (const auto& p : parameters) {
      means.push_back(torch::zeros_like(p));
      squares.push_back(torch::zeros_like(p));
    }
    Tensor out = torch::empty({10, 2}, torch::kDouble);
    for (int step = 1; step <= 10; ++step) {
      field->zero_grad();
      const Tensor total = losses({"cvf", "cvf", ""}, *field).total;
      total.backward();
      out[step - 1][0] = total.detach();
      out[step - 1][1] = torch::nn::utils::clip_grad_norm_(parameters, 1.0);
      kernels::fused_adamw(parameters, means, squares, step, {1e-3, 0.9, 0.99, 1e-8, 0.01});
    }
    return out;
  }
};

const std::vector<Case> cases{
    {"cvf", "cvf", ""},
    {"cvfbi", "cvf", "rupture.bidirectional = true"},
    {"sm", "sm", "conditioned = true"},
    {"tm", "tm", "conditioned = true"},
    {"cfm", "cfm", "conditioned = true"},
    {"node", "node", "steps = 2\nconditioned = true"},
    {"node", "node", "steps = 2\nconditioned = true\nrecompute = true"},
    {"pf", "pushforward", "conditioned = true"},
};

INSTANTIATE_TEST_SUITE_P(Of, GoldenObjectives, testing::Values("sit", "conv", "conv_gelu"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(GoldenObjectives, HaveTheSameLossesAndGradients) {
  for (const auto& c : cases) {
    const auto [loss, gradient] = errors(c, torch::kDouble);
    EXPECT_LE(loss, 1e-9) << c.name << " " << c.toml;
    EXPECT_LE(gradient, 1e-9) << c.name << " " << c.toml;
    std::cout << fmt::format("{:6} double: loss {:.1e}, gradients {:.1e}\n", c.name, loss, gradient);
  }
}

TEST_P(GoldenObjectives, HaveNearlyTheSameLossesAndGradientsInFusedFloat) {
  for (const auto& c : cases) {
    const auto [loss, gradient] = errors(c, torch::kFloat);
    EXPECT_LE(loss, 1e-4) << c.name << " " << c.toml;
    EXPECT_LE(gradient, 1e-4) << c.name << " " << c.toml;
    std::cout << fmt::format("{:6} float: loss {:.1e}, gradients {:.1e}\n", c.name, loss, gradient);
  }
}

TEST_P(GoldenObjectives, TrainAlikeForTenSteps) {
  const Tensor theirs = tensor("adamw10");
  const auto worst = [&](torch::Dtype dtype) {
    return ((train(dtype) - theirs).abs() / theirs).max().item<double>();
  };
  const double exact = worst(torch::kDouble), fused = worst(torch::kFloat);
  EXPECT_LE(exact, 1e-8);
  EXPECT_LE(fused, 1e-4);
  std::cout << fmt::format("adamw10: double {:.1e}, fused float {:.1e}\n", exact, fused);
}

TEST_P(GoldenObjectives, MeasureTheSameRuptureError) {
  const torch::NoGradGuard no_grad;
  const Tensor ours = normalised_rupture_error({*field_, *normalizer_}, normalised("b.s0"), tensor("dts"));
  EXPECT_LE(distance(ours, tensor("nre")), 1e-9);
}

}  // namespace
}  // namespace cvf::objectives

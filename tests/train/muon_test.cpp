#include "train/muon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "fields/field.hpp"
#include "support/interrupted_run.hpp"
#include "train/optimizer.hpp"

namespace cvf::train {
namespace {

using testing_support::run;
using testing_support::Scratch;
using testing_support::tiny_run;
using testing_support::weights;
using torch::Tensor;

Tensor orthonormal_columns(std::int64_t rows, std::int64_t columns) {
  const auto double_ = torch::dtype(torch::kDouble);
  return std::get<0>(torch::linalg_qr(torch::randn({rows, columns}, double_)));
}

double after_five_iterations(double s) {
  for (int i = 0; i < 5; ++i) s = s * (3.4445 - 4.7750 * s * s + 2.0315 * s * s * s * s);
  return s;
}

// U S V^T -> U p(S / |S|) V^T with the quintic polynomial five times over.
TEST(Muon, OrthogonalisesByAPolynomialOfTheSingularValuesForWideAndTallMatrices) {
  torch::manual_seed(1);
  const Tensor u = orthonormal_columns(6, 4), v = orthonormal_columns(9, 4);
  const Tensor singular = torch::tensor({5.0, 1.0, 0.3, 0.02}, torch::kDouble);
  Tensor expected = singular / singular.norm();
  for (int i = 0; i < 4; ++i) expected[i] = after_five_iterations(expected[i].item<double>());
  const auto product = [&](const Tensor& s) { return u.matmul(s.diag()).matmul(v.t()); };
  for (const auto type : {torch::kDouble, torch::kFloat}) {
    const double tolerance = type == torch::kDouble ? 1e-12 : 1e-5;
    const Tensor wide = product(singular).to(type), truth = product(expected).to(type);
    EXPECT_LT((orthogonalised(wide) - truth).abs().max().item<double>(), tolerance);
    EXPECT_LT((orthogonalised(wide.t()) - truth.t()).abs().max().item<double>(), tolerance);
  }
}

TEST(Muon, BringsSingularValuesOfTwoThousandthsAndMoreNearOne) {
  for (double s = 0.002; s <= 1; s *= 1.01) {
    const Tensor image =
        orthogonalised(torch::diag(torch::tensor({s, std::sqrt(1 - s * s)}, torch::kDouble)));
    EXPECT_GT(image[0][0].item<double>(), 0.68) << s;
    EXPECT_LT(image[0][0].item<double>(), 1.21) << s;
  }
}

TEST(Muon, LeavesNothingWhereThereIsNoGradient) {
  EXPECT_TRUE(torch::equal(orthogonalised(torch::zeros({3, 5})), torch::zeros({3, 5})));
}

// Gradient c I: every mean is a multiple of I, so that the update is p(1/sqrt 2) I at each step.
TEST(Muon, StepsAlongTheOrthogonalisedMeanOfKnownGradients) {
  for (const bool nesterov : {true, false}) {
    std::vector<InnerMatrix> matrices{
        {torch::full({2, 2, 1, 1}, 3.0, torch::kDouble), torch::zeros({2, 2, 1, 1}, torch::kDouble)}};
    auto& [weight, mean] = matrices[0];
    const Tensor identity = torch::eye(2, torch::kDouble).view({2, 2, 1, 1});
    const double length = 0.1 * 0.2 * std::sqrt(2.0) * after_five_iterations(std::sqrt(0.5));
    Tensor expected = weight.clone();
    for (const double c : {4.0, 2.0}) {
      weight.mutable_grad() = c * identity;
      muon_step(matrices, {.momentum = 0.75, .nesterov = nesterov, .decay = 0.5}, 0.1);
      expected = expected * 0.95 - length * identity;
    }
    EXPECT_TRUE(torch::allclose(weight, expected, 1e-12, 1e-12));
    EXPECT_TRUE(torch::allclose(mean, (0.25 * 0.75 * 4 + 0.25 * 2) * identity));
  }
}

// One row has one singular value, so its update points where the mean does.
TEST(Muon, LooksAheadOnlyWithNesterov) {
  const auto update = [](bool nesterov) {
    std::vector<InnerMatrix> matrices{
        {torch::zeros({1, 2}, torch::kDouble), torch::zeros({1, 2}, torch::kDouble)}};
    for (const auto& g :
         {torch::tensor({{1.0, 0.0}}, torch::kDouble), torch::tensor({{0.0, 1.0}}, torch::kDouble)}) {
      matrices[0].weight.zero_();
      matrices[0].weight.mutable_grad() = g;
      muon_step(matrices, {.momentum = 0.5, .nesterov = nesterov, .decay = 0}, 1);
    }
    return matrices[0].weight[0][1].item<double>() / matrices[0].weight[0][0].item<double>();
  };
  EXPECT_NEAR(update(false), 0.5 / 0.25, 1e-12);
  EXPECT_NEAR(update(true), (0.5 + 0.25) / 0.125, 1e-12);
}

TEST(Muon, MovesAMatrixOfAnyShapeAsFarAsAdamWWould) {
  torch::manual_seed(2);
  for (const auto& [rows, columns] : {std::pair{32, 288}, {32, 32}, {128, 32}, {1, 7}}) {
    std::vector<InnerMatrix> matrices{{torch::zeros({rows, columns}), torch::zeros({rows, columns})}};
    matrices[0].weight.mutable_grad() = 1e-3 * torch::randn({rows, columns});
    muon_step(matrices, {}, 1);
    const double moved = matrices[0].weight.square().mean().sqrt().item<double>();
    EXPECT_GT(moved, 0.13) << rows << " x " << columns;
    EXPECT_LT(moved, 0.25) << rows << " x " << columns;
  }
}

std::set<std::string> inner_matrices(std::string_view field, const fields::StateShape& shape) {
  std::set<std::string> out;
  for (const auto& row : fields::registry()) {
    if (row.name != field) continue;
    const auto made = row.settings()->build(shape, 0);
    for (const auto& item : made->named_parameters()) {
      if (item.key().starts_with("blocks.") && !item.key().starts_with("blocks.0.")) continue;
      if (is_inner_matrix(item.key(), item.value())) out.insert(item.key());
    }
  }
  return out;
}

TEST(Muon, TakesTheMatricesOfResidualBlocksOfEveryField) {
  using Names = std::set<std::string>;
  const fields::StateShape grid{.channels = 2, .height = 16, .width = 16}, vector{.channels = 2};
  EXPECT_EQ(inner_matrices("conv", grid), (Names{"blocks.0.spatial.weight", "blocks.0.mix.weight"}));
  EXPECT_EQ(inner_matrices("sit", grid), (Names{"blocks.0.qkv.weight", "blocks.0.project.weight",
                                                "blocks.0.expand.weight", "blocks.0.contract.weight"}));
  EXPECT_EQ(inner_matrices("mlp", vector), (Names{"blocks.0.expand.weight", "blocks.0.contract.weight"}));
  EXPECT_EQ(fields::registry().size(), 3U) << "say here what Muon takes of the new field";
}

// The rest of the network moves exactly as AdamW alone would move it, given the same gradients.
TEST(Muon, LeavesTheOtherParametersToAdamW) {
  const auto after = [](const char* name) {
    OptimizerOptions options;
    options.name = name;
    options.muon.learning_rate = 0.25;
    auto field = fields::registry()[0].settings()->build({.channels = 2, .height = 16, .width = 16}, 0);
    Optimizer optimizer(*field, options, 0);
    for (auto& p : field->parameters()) p.mutable_grad() = torch::full_like(p, 1e-3);
    optimizer.step(optimizer.gradient_norms(), 1);
    return field;
  };
  const auto plain = after("adamw"), mixed = after("muon");
  int inner = 0;
  for (const auto& item : plain->named_parameters()) {
    const bool taken = is_inner_matrix(item.key(), item.value());
    inner += taken;
    EXPECT_NE(torch::equal(item.value(), mixed->named_parameters()[item.key()]), taken) << item.key();
  }
  EXPECT_GT(inner, 0);
}

constexpr const char* muon = "optimizer.name = \"muon\"\n";

TEST(Muon, GoesOnToTheBitAfterAStopInBothPrecisionsAndWithAveraging) {
  for (const std::string more :
       {"", "precision = \"float64\"", "train.ema_decay = 0.9\noptimizer.muon.learning_rate = 0.02"}) {
    SCOPED_TRACE(more);
    const Scratch scratch;
    const auto toml = tiny_run(scratch.path("data.h5"), muon + more);
    run(toml, scratch.path("whole"));
    EXPECT_GT(testing_support::run_in_parts(toml, scratch.path("parts"), 11, 23).size(), 1U);
    EXPECT_EQ(weights(scratch.path("parts")), weights(scratch.path("whole")));
    const auto moments = [&](const char* name) {
      return files::read_whole(scratch.path(name) + "/last/training.safetensors");
    };
    EXPECT_EQ(moments("parts"), moments("whole"));
    EXPECT_EQ(moments("whole").find("square.blocks.0.expand.weight"), std::string::npos);
    EXPECT_NE(moments("whole").find("square.blocks.0.expand.bias"), std::string::npos);
  }
}

TEST(Muon, LearnsAPendulum) {
  const Scratch scratch;
  run(tiny_run(scratch.path("data.h5"), muon), scratch.path("run"));
  const auto losses = testing_support::losses_of(scratch.path("run"));
  EXPECT_LT(losses.back(), 0.5 * losses.front());
}

TEST(Muon, RefusesBadValuesWithTheirKey) {
  for (const auto& [line, key] : {std::pair{"optimizer.name = \"sgd\"", "optimizer.name"},
                                  {"optimizer.muon.learning_rate = -1.0", "optimizer.muon.learning_rate"},
                                  {"optimizer.muon.momentum = 1.0", "optimizer.muon.momentum"},
                                  {"optimizer.muon.decay = -0.1", "optimizer.muon.decay"},
                                  {"optimizer.muon.speed = 1.0", "optimizer.muon.speed"}}) {
    try {
      testing_support::options_of(tiny_run("none.h5", line));
      FAIL() << line << " was taken";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  }
}

TEST(Muon, RefusesToGoOnWithARunOfTheOtherOptimizer) {
  const Scratch scratch;
  run(tiny_run(scratch.path("data.h5")), scratch.path("run"));
  try {
    run(tiny_run(scratch.path("data.h5"), muon), scratch.path("run"));
    FAIL() << "a run of AdamW went on with Muon";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("optimizer.name = \"adamw\", not \"muon\""), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace cvf::train

#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "support/scratch.hpp"
#include "train/journal.hpp"
#include "train/learner.hpp"
#include "train/optimizer.hpp"

namespace cvf::train {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;
using torch::Tensor;

TEST(Schedule, IsThePapersAtEveryCorner) {
  const ScheduleOptions paper;
  EXPECT_DOUBLE_EQ(rate_factor(paper, 0.025), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(paper, 0.05), 1);
  EXPECT_DOUBLE_EQ(rate_factor(paper, 0.05 + 0.375), 0.55);
  EXPECT_NEAR(rate_factor(paper, 0.8), 0.1, 1e-12);
  EXPECT_NEAR(rate_factor(paper, 1), 0.1, 1e-12);
}

TEST(Schedule, FallsAsACosineToItsFloor) {
  ScheduleOptions cosine;
  cosine.kind = Schedule::cosine;
  cosine.warmup = 0;
  cosine.floor = 0.2;
  EXPECT_DOUBLE_EQ(rate_factor(cosine, 0), 1);
  EXPECT_NEAR(rate_factor(cosine, 0.5), 0.6, 1e-12);
  EXPECT_NEAR(rate_factor(cosine, 1), 0.2, 1e-12);
}

TEST(Schedule, StaysConstantAfterTheWarmUp) {
  ScheduleOptions constant;
  constant.kind = Schedule::constant;
  EXPECT_DOUBLE_EQ(rate_factor(constant, 0.01), 0.2);
  EXPECT_DOUBLE_EQ(rate_factor(constant, 0.9), 1);
}

// A loss with a gradient that changes from step to step.
Tensor loss_of(torch::nn::Linear& layer, int step) {
  const Tensor x = torch::linspace(-1, 1, 12).view({4, 3}) * (1 + 0.3 * step);
  return (layer(x).tanh() - 0.5).square().sum() * 4;
}

torch::nn::Linear fixed_layer() {
  torch::manual_seed(7);
  return torch::nn::Linear(3, 2);
}

TEST(Optimizer, StepsAsTheLibrarysAdamWWithClippingAndDecayOnMatrices) {
  auto ours = fixed_layer(), theirs = fixed_layer();
  OptimizerOptions options;
  options.learning_rate = 0.01;
  options.decay = 0.1;
  Optimizer optimizer(*ours, options, 0);
  using Options = torch::optim::AdamWOptions;
  const auto group = [&](const Tensor& p, double decay) {
    auto o = std::make_unique<Options>(0.01);
    o->betas({0.9, 0.99}).eps(1e-8).weight_decay(decay);
    return torch::optim::OptimizerParamGroup({p}, std::move(o));
  };
  torch::optim::AdamW library({group(theirs->weight, 0.1), group(theirs->bias, 0)});
  for (int step = 0; step < 8; ++step) {
    optimizer.clear_gradients();
    loss_of(ours, step).backward();
    library.zero_grad();
    loss_of(theirs, step).backward();
    const double norm = optimizer.gradient_norms().front();
    EXPECT_GT(norm, 1) << "clipping is not tested";
    EXPECT_NEAR(norm, torch::nn::utils::clip_grad_norm_(theirs->parameters(), 1.0), 1e-5 * norm);
    optimizer.step({norm}, 1);
    library.step();
  }
  EXPECT_TRUE(torch::allclose(ours->weight, theirs->weight, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(ours->bias, theirs->bias, 1e-5, 1e-6));
}

TEST(Optimizer, AveragesTheWeightsAndSwapsThemInAndOut) {
  auto layer = fixed_layer();
  Optimizer optimizer(*layer, {}, 0.75);
  Tensor expected = layer->weight.detach().clone();
  for (int step = 0; step < 3; ++step) {
    optimizer.clear_gradients();
    loss_of(layer, step).backward();
    optimizer.step({1}, 100);
    expected = 0.75 * expected + 0.25 * layer->weight.detach();
  }
  const Tensor raw = layer->weight.detach().clone();
  optimizer.swap_average();
  EXPECT_TRUE(torch::allclose(layer->weight, expected, 1e-5, 1e-7));
  EXPECT_FALSE(torch::equal(layer->weight, raw));
  optimizer.swap_average();
  EXPECT_TRUE(torch::equal(layer->weight, raw));
}

TEST(Journal, DropsWhatCameAfterTheCheckpointAndTornLines) {
  const Scratch scratch;
  {
    Journal journal(scratch.path("."), 0);
    for (int step = 1; step <= 5; ++step) journal.row(step, {{"loss", 1.0 / step}});
  }
  {
    std::ofstream torn(scratch.path("metrics.csv"), std::ios::app);
    torn << "2,0.";
    std::ofstream log(scratch.path("log.jsonl"), std::ios::app);
    log << "{\"event\":\"step\",\"step\":1";
  }
  {
    Journal again(scratch.path("."), 3);
    again.row(4, {{"loss", std::nan("")}});
  }
  EXPECT_EQ(files::read_whole(scratch.path("metrics.csv")),
            "step,loss\n1,1\n2,0.5\n3,0.3333333333333333\n4,\n");
  const std::string log = files::read_whole(scratch.path("log.jsonl"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4);
  EXPECT_NE(log.find(R"({"event":"step","step":4,"loss":null})"), std::string::npos) << log;
}

TEST(Foresight, RefusesARunThatCannotFit) {
  const Needed needed{
      .parameters = 1e9, .copies = 5, .activations = 2e9, .loader = 1e9, .checkpoint = 3e9, .checkpoints = 4};
  EXPECT_NO_THROW(check_resources(needed, ".", 9e9, 13e9));
  EXPECT_THROW(check_resources(needed, ".", 7e9, 13e9), ConfigError);
  try {
    check_resources(needed, "there", 9e9, 11e9);
    FAIL() << "a full disk was not foreseen";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "there: 4 checkpoints need 12 GB, and 11 GB are free there; a smaller checkpoint.keep would "
                 "need less");
  }
}

RunOptions run_of(const std::string& text) {
  return RunOptions::read(config::Document::from_text("[field]\nname = \"mlp\"\n" + text, "RUN.toml"));
}

TEST(RunFile, TakesKeysByTheirOldNamesAndSaysWhatTheyAreCalledNow) {
  testing::internal::CaptureStderr();
  const auto o = run_of(
      "[optimizer]\nrate = 0.5\nmuon.rate = 0.25\n[train]\nat_once = 7\naverage = 0.75\n[data]\naverage = "
      "2\n");
  const std::string notes = testing::internal::GetCapturedStderr();
  EXPECT_EQ(o.optimizer.learning_rate, 0.5);
  EXPECT_EQ(o.optimizer.muon.learning_rate, 0.25);
  EXPECT_EQ(o.length.micro_batch, 7);
  EXPECT_EQ(o.length.ema_decay, 0.75);
  EXPECT_EQ(o.data.average, 2);  // another key of that name
  for (const char* note :
       {"optimizer.rate is called optimizer.learning_rate now",
        "optimizer.muon.rate is called optimizer.muon.learning_rate now",
        "train.at_once is called train.micro_batch now", "train.average is called train.ema_decay now"}) {
    EXPECT_NE(notes.find(note), std::string::npos) << notes;
  }
}

TEST(RunFile, TakesOldNamesOnTheCommandLineAndRefusesBothNamesOfAKey) {
  auto document =
      config::Document::from_text("[field]\nname = \"mlp\"\n[train]\nmicro_batch = 3\n", "RUN.toml");
  document.set("train.at_once=5");
  document.set("optimizer.rate=0.125");
  const auto o = RunOptions::read(document);
  EXPECT_EQ(o.length.micro_batch, 5);
  EXPECT_EQ(o.optimizer.learning_rate, 0.125);
  EXPECT_EQ(sentence_of<ConfigError>([] { run_of("[train]\naverage = 0.9\nema_decay = 0.8\n"); }),
            "RUN.toml: has both train.ema_decay and its old name train.average; drop the old one");
}

TEST(RunFile, WritesTheSolverThatADefaultStoodFor) {
  const auto written = [](const std::string& objective) {
    auto o = run_of("[objective]\nname = \"" + objective + "\"\n");
    return config::Document::from_text(o.to_toml(), "run.toml").look_up("solver.name");
  };
  EXPECT_EQ(written("cvf"), "euler");
  EXPECT_EQ(written("sm"), "euler");
  EXPECT_EQ(written("node"), "rk4");
  const auto tuned = run_of("[solver]\nslack = 0.8\n");
  EXPECT_EQ(tuned.solver.name, "gcs") << "only gcs has a slack";
}

TEST(RunFile, OfTheReleaseBeforeTheRenamesIsRead) {
  const auto o = RunOptions::read(
      config::Document::from_file(std::string(CVF_SOURCE_DIR) + "/tests/run/old_model/run.toml"));
  EXPECT_EQ(o.optimizer.learning_rate, 0.005);
  EXPECT_EQ(o.length.micro_batch, 16);
  EXPECT_EQ(o.length.ema_decay, 0.9);
  EXPECT_EQ(o.objective.name, "cvf");
  EXPECT_EQ(o.solver.name, "gcs");
  EXPECT_TRUE(o.data.context.parameters.empty());
}

}  // namespace
}  // namespace cvf::train

// A model inside a host program: the same answers as a rollout of our own, in the host's memory and units.
#include "embed/surrogate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"
#include "model/trained_model.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "solvers/tensors/integrate.hpp"
#include "support/program.hpp"

namespace cvf::embed {
namespace {

using testing_support::Program;
using testing_support::Scratch;
using testing_support::sentence_of;

// Random weights (no layer left at zero) and statistics that are not those of a unit.
model::TrainedModel some_model(const std::string& state, const std::string& field,
                               const std::string& top = "") {
  const auto spec = model::from_toml(
      top + "[state]\ndt_ref = 0.8\ndelta_min = 0.1\nlargest_dt = 0.8\n" + state + "[field]\n" + field,
      "test");
  auto out = model::build(spec, 4);
  const torch::NoGradGuard no_gradients;
  for (auto& p : out.field->parameters()) p.copy_(0.2 * torch::randn(p.sizes()));
  auto sides = spec.state.tensor_sizes();
  sides.insert(sides.begin(), 32);
  out.normalizer->fit({torch::randn(sides, torch::kDouble) * 2 + 1}, {torch::randn(sides, torch::kDouble)});
  out.run_toml = "[objective]\nname = \"cvf\"\n";
  return out;
}

class Embedded : public testing::Test {
 protected:
  Embedded() { model::save(model_, folder_ + "/best"); }

  Scratch scratch_;
  model::TrainedModel model_ =
      some_model("channels = [\"angle\", \"velocity\"]\n", "name = \"mlp\"\nwidth = 16\ndepth = 2\n");
  std::string folder_ = scratch_.path("run");
  const std::vector<double> start_{0.7, -0.4};

  torch::Tensor start() const { return torch::tensor(start_, torch::kDouble).unsqueeze(0); }
};

TEST_F(Embedded, TellsWhatItTakes) {
  const auto s = Surrogate::load(folder_);
  EXPECT_EQ(s.channels(), (std::vector<std::string>{"angle", "velocity"}));
  EXPECT_EQ(s.state_size(), 2U);
  EXPECT_EQ(s.solver(), "gcs");
  EXPECT_DOUBLE_EQ(s.shortest_step(), 0.1);
  EXPECT_DOUBLE_EQ(s.longest_step(), 0.8);
  EXPECT_EQ(Surrogate::load(folder_, {"solver.name=rk4"}).solver(), "rk4");
}

TEST_F(Embedded, HandsOverTheMeanOfMembersWithTheirSpread) {
  EXPECT_EQ(Surrogate::load(folder_).members(), 1U);
  model::save(some_model("channels = [\"angle\", \"velocity\"]\n", "name = \"mlp\"\nwidth = 16\ndepth = 2\n",
                         "members = 3\n"),
              folder_ + "/best");
  const auto s = Surrogate::load(folder_);
  EXPECT_EQ(s.members(), 3U);
  std::vector<double> mean, moved = start_;
  const auto result =
      s.forecast(start_, {0.6}, [&](double, std::span<const double> state, std::span<const double> spread) {
        mean.assign(state.begin(), state.end());
        ASSERT_EQ(spread.size(), 2U);
        EXPECT_GT(spread[0], 0);
      });
  EXPECT_TRUE(result.reached);
  EXPECT_TRUE(s.advance(moved, 0.6).reached);
  EXPECT_EQ(moved, mean);
}

TEST_F(Embedded, TakesTheSolverOfItsRun) {
  model_.run_toml = "[objective]\nname = \"cvf\"\n[solver]\nname = \"rk4\"\nsteps = 3\n";
  model::save(model_, folder_ + "/best");
  const auto s = Surrogate::load(folder_);
  EXPECT_EQ(s.solver(), "rk4");
  std::vector<double> state = start_;
  EXPECT_EQ(s.advance(state, 0.6).steps.size(), 3U);
  state = start_;
  EXPECT_EQ(Surrogate::load(folder_, {"solver.steps=5"}).advance(state, 0.6).steps.size(), 5U);
}

TEST_F(Embedded, AdvancesTheHostsMemoryAsARolloutWould) {
  const auto s = Surrogate::load(folder_);
  const auto gcs = solvers::make("gcs", rollout::context_of(rollout::facts_of(model_)));
  const auto expected =
      rollout::forecast({rollout::on_tensors(model_), *gcs}, rollout::array_of(start()), {{0, 1.5}});
  std::vector<double> state = start_;
  const AdvanceResult result = s.advance(state, 1.5);
  ASSERT_TRUE(result.reached) << result.message;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(state[i],
                rollout::tensor_of(expected.states)[0][1][static_cast<std::int64_t>(i)].item<double>(), 1e-6);
  }
  EXPECT_EQ(result.evaluations, expected.frames[0][1].counts.evaluations);
  ASSERT_EQ(result.steps.size(), expected.frames[0][1].steps.size());
  double length = 0;
  for (const auto& step : result.steps) length += step.length;
  EXPECT_NEAR(length, 1.5, 1e-9);
}

TEST_F(Embedded, APlainStepIsOneEvaluationAlongTheMeanVelocity) {
  const auto s = Surrogate::load(folder_);
  std::vector<double> state = start_;
  const AdvanceResult result = s.plain_step(state, 3.0);
  EXPECT_EQ(result.evaluations, 1);
  EXPECT_TRUE(std::isnan(result.largest_nre())) << "nobody measured it";
  const auto v = model_.velocity({start()}, torch::tensor({3.0}, torch::kDouble)).value;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(state[i], start_[i] + 3 * v[0][static_cast<std::int64_t>(i)].item<double>(), 1e-5);
  }
}

TEST_F(Embedded, TheNreOfAStepIsTheOneThatGcsMeasures) {
  const auto s = Surrogate::load(folder_, {"solver.slack=0.1", "solver.max_step=0"});
  std::vector<double> state = start_;
  const AdvanceResult result = s.advance(state, 0.1);
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_GT(result.largest_nre(), 0);
  EXPECT_NEAR(s.nre(start_, 0.1) / result.largest_nre(), 1, 1e-4);
}

TEST_F(Embedded, SinglePrecisionGivesTheSameToItsOwnPrecision) {
  const auto s = Surrogate::load(folder_);
  std::vector<double> state = start_;
  std::vector<float> single(start_.begin(), start_.end());
  s.advance(state, 0.8);
  s.advance(single, 0.8);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(single[i], state[i], 1e-5);
  EXPECT_NEAR(s.nre(single, 0.8), s.nre(state, 0.8), 1e-4);
}

TEST_F(Embedded, ForecastsHandOverEveryWantedTime) {
  const auto s = Surrogate::load(folder_);
  std::vector<double> seen, last;
  const AdvanceResult result =
      s.forecast(start_, {0.3, 0.9, 1.5}, [&](double time, std::span<const double> state) {
        seen.push_back(time);
        last.assign(state.begin(), state.end());
      });
  EXPECT_TRUE(result.reached);
  EXPECT_EQ(seen, (std::vector<double>{0.3, 0.9, 1.5}));
  EXPECT_EQ(last.size(), 2U);
}

TEST_F(Embedded, WhatGoesWrongLeavesTheStateAndSaysWhy) {
  for (auto& p : model_.field->parameters()) {
    const torch::NoGradGuard no_gradients;
    p.fill_(1e30);
  }
  model::save(model_, folder_ + "/best");
  const auto s = Surrogate::load(folder_);
  std::vector<double> state = start_;
  const AdvanceResult result = s.advance(state, 0.8);
  EXPECT_FALSE(result.reached);
  EXPECT_NE(result.message.find("not finite"), std::string::npos) << result.message;
  EXPECT_EQ(state, start_);
}

TEST_F(Embedded, RefusesMisuseWithASentence) {
  const auto s = Surrogate::load(folder_);
  std::vector<double> state = start_, longer(3), broken{NAN, 0};
  EXPECT_EQ(sentence_of<UsageError>([&] { s.advance(longer, 0.1); }),
            "the state has 3 values, but the model takes 2 (2 channels)");
  EXPECT_EQ(sentence_of<UsageError>([&] { s.advance(state, -1); }),
            "a step of -1: give a time ahead, above 0");
  EXPECT_NE(sentence_of<DataError>([&] { s.advance(broken, 0.1); }).find("not finite"), std::string::npos);
  EXPECT_NE(sentence_of<Error>([&] { Surrogate::load(folder_, {"solver.slak=1"}); }).find("slack"),
            std::string::npos);
  EXPECT_NE(sentence_of<ModelError>([&] { Surrogate::load(scratch_.path("nowhere")); }).find("nowhere"),
            std::string::npos);
}

TEST_F(Embedded, GridsTravelChannelByChannel) {
  const auto field = some_model("channels = [\"u\", \"v\"]\nny = 4\nnx = 8\n",
                                "name = \"sit\"\npatch = 4\nwidth = 16\ndepth = 1\nheads = 2\n");
  model::save(field, scratch_.path("field"));
  const auto s = Surrogate::load(scratch_.path("field"));
  ASSERT_EQ(s.state_size(), 64U);
  const torch::Tensor given = torch::randn({1, 2, 4, 8}, torch::kDouble);
  std::vector<double> state(given.data_ptr<double>(), given.data_ptr<double>() + 64);
  s.plain_step(state, 0.2);
  const auto v = field.velocity({given}, torch::tensor({0.2}, torch::kDouble)).value;
  const torch::Tensor expected = (given + 0.2 * v).contiguous();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(state[i], expected.data_ptr<double>()[i], 1e-5);
}

TEST_F(Embedded, TheExampleRunsAndFallsBackOnItsOwnSolver) {
  const auto run = [&](std::vector<std::string> words) {
    return Program(scratch_, std::move(words), CVF_EMBED_EXAMPLE).wait();
  };
  auto ran = run({folder_, "0.4", "3", "1e9"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("  0.40 "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("  1.20 "), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("own solver instead"), std::string::npos) << ran.out;
  ran = run({folder_, "0.4", "3", "0"});
  EXPECT_NE(ran.out.find("own solver instead"), std::string::npos) << ran.out;
  ran = run({scratch_.path("nowhere")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("nowhere"), std::string::npos) << ran.err;
}

TEST(EmbeddedGrid, MayBeAnyOfTheSameSpacingForAFieldWithoutPositions) {
  const Scratch scratch;
  const std::string state =
      "channels = [\"u\", \"v\"]\nny = 4\nnx = 8\ny_range = [0.0, 1.5]\nx_range = [0.0, 1.4]\n"
      "boundary = \"periodic\"\n";
  model::save(some_model(state, "name = \"conv\"\nwidth = 8\n"), scratch.path("conv"));
  auto s = Surrogate::load(scratch.path("conv"));
  std::vector<double> small(2 * 4 * 8), large(2 * 8 * 8);  // the large one is the small one twice, along y
  for (std::size_t i = 0; i < small.size(); ++i) small[i] = std::sin(0.9 * static_cast<double>(i));
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 64; ++i) large[c * 64 + i] = small[c * 32 + i % 32];
  }
  ASSERT_TRUE(s.plain_step(small, 0.3).reached);
  EXPECT_THROW(s.plain_step(large, 0.3), UsageError) << "nobody said so";
  s.use_grid(8, 8, 0.5, 0.2);
  EXPECT_EQ(s.ny(), 8);
  EXPECT_EQ(s.state_size(), large.size());
  ASSERT_TRUE(s.plain_step(large, 0.3).reached);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(large[c * 64 + i], small[c * 32 + i % 32], 1e-5);
  }
  EXPECT_EQ(sentence_of<UsageError>([&] { s.use_grid(8, 8, 0.5, 0.1); }),
            "the state has a spacing of 0.1 along x, but the model was trained on a spacing of 0.2");
  s.use_grid(6, 10);  // on the host's own word
  EXPECT_EQ(s.nx(), 10);
}

}  // namespace
}  // namespace cvf::embed

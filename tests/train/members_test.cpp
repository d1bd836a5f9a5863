// Several fields trained together: each must learn as it would alone, and a run of them must survive what a
// run of one does.
#include "fields/members.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "model/tensors.hpp"
#include "support/interrupted_run.hpp"
#include "train/learner.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using testing_support::options_of;
using testing_support::run;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::tiny_run;
using torch::Tensor;

struct Trained {
  RunOptions options;
  RunData data;
  ProcessGroup alone;
  std::unique_ptr<Learner> learner;

  explicit Trained(const std::string& toml) : options(options_of(toml)), data(prepare(options)) {
    learner = std::make_unique<Learner>(options, data, alone);
    fit_statistics(*learner->model.normalizer, learner->feed, alone);
  }
};

TEST(Members, FirstOneLearnsAsARunOfOneDoes) {
  for (const std::string more : {"", "optimizer.name = \"muon\"", "optimizer.clip = 0.01"}) {
    SCOPED_TRACE(more);
    const Scratch scratch;
    Trained one(tiny_run(scratch.path("data.h5"), more)),
        three(tiny_run(scratch.path("data.h5"), more + "\ntrain.members = 3"));
    for (int step = 0; step < 3; ++step) {
      one.learner->step(1);
      three.learner->step(1);
    }
    const auto own = model::tensors_of(*one.learner->model.field),
               first = model::tensors_of(three.learner->model.field->member(0));
    ASSERT_EQ(own.size(), first.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(own[i].first, first[i].first);
      EXPECT_TRUE(torch::equal(own[i].second, first[i].second)) << own[i].first;
    }
  }
}

TEST(Members, GradientsAreThoseOfRunsWithTheSameStreams) {
  const Scratch scratch;
  Trained three(
      tiny_run(scratch.path("data.h5"), "train.members = 3\noptimizer.clip = 0\ntrain.micro_batch = 9"));
  auto& learner = *three.learner;
  learner.step(1);  // biases that begin at 0 hide half of the network
  learner.step(0);  // the gradients of these weights
  std::vector<Tensor> inputs;
  for (std::int64_t m = 0; m < 3; ++m) {
    auto alone = model::build(three.data.spec, 0).field;
    auto& field = alone->member(0);
    const auto weights = model::tensors_of(learner.model.field->member(m)), own = model::tensors_of(field);
    const auto draws = learner.objective->draw(
        {.seed = fields::member_seed(3, m), .first_row = 32, .rows = 32, .progress = 1});
    {
      const torch::NoGradGuard no_gradients;
      for (std::size_t i = 0; i < own.size(); ++i) Tensor(own[i].second).copy_(weights[i].second);
    }
    learner.objective->loss({field, *learner.model.normalizer}, learner.batch, draws).total.backward();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Tensor mine = weights[i].second.grad(), theirs = own[i].second.grad();
      if (!mine.defined()) continue;  // a buffer
      EXPECT_TRUE(torch::allclose(mine, theirs, 1e-4, 1e-6)) << m << " " << own[i].first;
    }
    inputs.push_back(weights.front().second);
  }
  EXPECT_FALSE(torch::equal(inputs[0], inputs[1]));
  EXPECT_FALSE(torch::equal(inputs[1], inputs[2]));
}

TEST(Members, OneDoesNotShortenTheGradientOfAnother) {
  auto parts = std::make_shared<torch::nn::Module>();
  auto shelf = parts->register_module("members", std::make_shared<torch::nn::Module>());
  for (const char* name : {"0", "1"}) {
    auto one = shelf->register_module(name, std::make_shared<torch::nn::Module>());
    one->register_parameter("w", torch::zeros({3}));
  }
  Optimizer optimizer(*parts, {}, 0);
  const auto parameters = parts->parameters();
  Tensor(parameters[0]).mutable_grad() = torch::full({3}, 1e6);
  Tensor(parameters[1]).mutable_grad() = torch::full({3}, 0.1);
  const auto norms = optimizer.gradient_norms();
  ASSERT_EQ(norms.size(), 2U);
  optimizer.step(norms, 1);
  EXPECT_NEAR(parameters[0].grad().norm().item<double>(), 1, 1e-5);
  EXPECT_TRUE(torch::equal(parameters[1].grad(), torch::full({3}, 0.1)));
}

TEST(Members, GoOnToTheBitAfterAnInterrupt) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "train.members = 2\ntrain.ema_decay = 0.9");
  const auto whole = run(toml, scratch.path("whole"));
  EXPECT_TRUE(whole.best.known());
  EXPECT_GT(testing_support::run_in_parts(toml, scratch.path("parts"), 3, 7).size(), 3U);
  for (const char* file :
       {"last/weights.safetensors", "last/training.safetensors", "best/weights.safetensors"})
    EXPECT_EQ(files::read_whole(scratch.path("whole/") + file),
              files::read_whole(scratch.path("parts/") + file))
        << file;
  const auto loaded = model::load(scratch.path("whole/last"));
  EXPECT_EQ(loaded.spec.members, 2);
  EXPECT_EQ(loaded.field->member_count(), 2);
  EXPECT_EQ(model::tensors_of(*loaded.field).front().first.substr(0, 10), "members.0.");
}

TEST(Members, FolderWithoutTheKeyIsOneAndGoesOn) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3");
  run(toml, scratch.path("whole"));
  testing_support::back_to_step_20(scratch.path("whole"), scratch.path("old"));
  testing_support::forget_line(scratch.path("old/checkpoints/step-000000020"), "members = 1");
  const auto old = files::read_whole(scratch.path("old/last/model.toml"));
  EXPECT_EQ(old.find("members"), std::string::npos);
  EXPECT_EQ(model::load(scratch.path("old/last")).field->member_count(), 1);
  EXPECT_EQ(run(toml, scratch.path("old")).steps_here, 20);
  EXPECT_EQ(testing_support::weights(scratch.path("whole")), testing_support::weights(scratch.path("old")));
  EXPECT_NE(sentence_of<ConfigError>([&] {
              run(toml + "train.members = 2\n", scratch.path("old"));
            }).find("this run was begun with train.members = 1, not 2"),
            std::string::npos);
}

TEST(Members, NoneIsNoModel) {
  const auto read = [](const char* text) { RunOptions::read(config::Document::from_text(text, "RUN.toml")); };
  EXPECT_NE(sentence_of<ConfigError>([&] {
              read("field.name = \"mlp\"\ntrain.members = 0");
            }).find("train.members"),
            std::string::npos);
  EXPECT_NE(sentence_of<ConfigError>([&] {
              read("field.name = \"mlp\"\ntrain.members = 101");
            }).find("train.members"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf::train

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/registry.hpp"
#include "data/trajectories.hpp"
#include "evaluate/record.hpp"
#include "evaluate/step_errors.hpp"
#include "rollout/runtime_model.hpp"
#include "support/memory_source.hpp"
#include "support/training.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::Scratch;
using torch::Tensor;

// A model of an oscillator that was hardly trained, and its data.
class Evaluating : public testing::Test {
 protected:
  Scratch scratch_;
  std::string toml_ = testing_support::tiny_run(scratch_.path("data.h5"), "solver.name = \"euler\"");
  model::TrainedModel model_;
  std::shared_ptr<const data::Source> source_;
  std::unique_ptr<solvers::Solver> solver_ = solvers::make("euler");

  void SetUp() override {
    testing_support::run(toml_, scratch_.path("run"));
    model_ = model::load(scratch_.path("run/best"));
    source_ = train::open_data(testing_support::options_of(toml_).data);
  }

  Tensor truth(std::size_t sample) {
    data::Trajectories trajectories(source_, {}, 0, false);
    const auto whole = trajectories.get(sample);
    return torch::from_blob(const_cast<float*>(whole->values.data()), {33, 2}).clone();
  }

  // Frame by frame with the mean velocity over the interval: what euler with one step does.
  Tensor rolled(std::size_t sample, bool from_truth) {
    const Tensor frames = truth(sample);
    std::vector<Tensor> out{frames[0]};
    for (std::int64_t k = 1; k < 33; ++k) {
      const Tensor from = (from_truth ? frames[k - 1] : out.back()).unsqueeze(0);
      const Tensor dt = torch::full({1}, 0.1, torch::kDouble);
      out.push_back((from + 0.1 * model_.velocity({from}, dt).value)[0]);
    }
    return torch::stack(out);
  }

  double value(const Evaluation& e, std::size_t part, std::string_view metric) {
    return e.parts.at(part).find(metric)->value.value();
  }
};

TEST_F(Evaluating, GivesTheErrorsThatALoopByHandGives) {
  const std::vector<std::size_t> samples{8, 9};
  const auto result =
      evaluate({.model = rollout::on_tensors(model_), .solver = *solver_}, *source_, samples, {});
  const auto by_hand = [&](bool from_truth) {
    double squares = 0;
    for (const auto s : samples) {
      squares +=
          (rolled(s, from_truth) - truth(s)).slice(0, 1).to(torch::kDouble).square().mean().item<double>() /
          2;
    }
    return std::sqrt(squares);
  };
  ASSERT_EQ(result.parts.size(), 3U);
  EXPECT_NEAR(value(result, 0, "step_rmse"), by_hand(true), 1e-5 * by_hand(true));
  EXPECT_NEAR(value(result, 1, "rollout_rmse"), by_hand(false), 1e-5 * by_hand(false));
  EXPECT_EQ(value(result, 0, "nfe"), 1);
  EXPECT_EQ(value(result, 1, "nfe"), 1);
}

TEST_F(Evaluating, IsTheSameInTheRuntimeAndInTensors) {
  const auto plain = rollout::on_runtime(runtime::Model::load_if_able(scratch_.path("run/best")).value());
  const auto gcs = solvers::make("gcs", rollout::context_of(rollout::facts_of(model_)));
  const std::vector<std::size_t> samples{3, 8, 9};
  Options options;
  options.step_doubling = true;
  const auto ours = evaluate({.model = plain, .solver = *gcs}, *source_, samples, options),
             theirs =
                 evaluate({.model = rollout::on_tensors(model_), .solver = *gcs}, *source_, samples, options);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto* metric = p == 0 ? "step_rmse" : "rollout_rmse";
    EXPECT_NEAR(value(ours, p, metric), value(theirs, p, metric), 1e-6 * value(theirs, p, metric));
    EXPECT_EQ(value(ours, p, "nfe"), value(theirs, p, "nfe"));
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_EQ(ours.parts[p].baselines[b].scores[0].value, theirs.parts[p].baselines[b].scores[0].value);
    }
  }
  ASSERT_EQ(ours.parts[1].trust.signals.size(), theirs.parts[1].trust.signals.size());
  const auto a = tried_steps({.model = plain, .solver = *gcs}, *source_, samples, {}),
             b = tried_steps({.model = rollout::on_tensors(model_), .solver = *gcs}, *source_, samples, {});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].length, b[i].length);
    EXPECT_NEAR(a[i].error, b[i].error, 1e-5 * b[i].error + 1e-7);
  }
}

TEST_F(Evaluating, DoesNotDependOnTheGroups) {
  const std::vector<std::size_t> samples{0, 3, 5, 8, 9};
  Options one, all;
  one.together = 1;
  const rollout::Setup setup{.model = rollout::on_tensors(model_), .solver = *solver_};
  const auto a = evaluate(setup, *source_, samples, one), b = evaluate(setup, *source_, samples, all);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto* metric = p == 0 ? "step_rmse" : "rollout_rmse";
    EXPECT_NEAR(value(a, p, metric), value(b, p, metric), 1e-6 * value(a, p, metric));
  }
}

TEST_F(Evaluating, WritesJsonThatSaysWhereItComesFrom) {
  const auto gcs = solvers::make("gcs", rollout::context_of(rollout::facts_of(model_)));
  const std::vector<std::size_t> samples{9};
  const auto result = evaluate({.model = rollout::on_tensors(model_), .solver = *gcs}, *source_, samples, {});
  const auto parsed = nlohmann::json::parse(json(result, {{"seed", "3"}}));
  EXPECT_EQ(parsed["origin"]["seed"], "3");
  EXPECT_EQ(parsed["time_informed"]["rollout_rmse"]["status"], "ok");
  EXPECT_EQ(parsed["time_informed"]["rollout_rmse"]["per_frame"].size(), 32U);
  EXPECT_EQ(parsed["time_informed"]["trust"]["pairs"], 32);
  EXPECT_NE(csv(result).find("direct,rollout_rmse,"), std::string::npos);
  EXPECT_NE(table(result).find("rank correlation"), std::string::npos);
  EXPECT_FALSE(parsed["time_informed"]["trust"]["rank_correlation"]["doubt"].contains("within_frames"))
      << "one sample ranks nothing";
}

TEST_F(Evaluating, TellsTheDoubtApartFromTheClock) {
  const auto gcs = solvers::make("gcs", rollout::context_of(rollout::facts_of(model_)));
  const std::vector<std::size_t> samples{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto result = evaluate({.model = rollout::on_tensors(model_), .solver = *gcs}, *source_, samples, {});
  const Trust& trust = result.parts.at(1).trust;
  EXPECT_EQ(trust.pairs, 320U);
  ASSERT_EQ(trust.signals.size(), 3U);
  EXPECT_EQ(trust.signals[1].name, "time");
  EXPECT_EQ(trust.signals[1].within.mean, 0) << "all samples have the same times";
  for (const auto& signal : trust.signals) {
    EXPECT_EQ(signal.within.frames, 32U);
    EXPECT_LE(signal.within.low, signal.within.mean);
    EXPECT_GE(signal.within.high, signal.within.mean);
  }
  const auto parsed = nlohmann::json::parse(json(result, {}))["time_informed"]["trust"];
  EXPECT_EQ(parsed["rank_correlation"]["doubt"]["within_frames"].size(), 3U);
  ASSERT_EQ(parsed["reliability"].size(), 3U);
  EXPECT_NEAR(parsed["reliability"][0]["from"].get<double>(), 0.1, 1e-6);
  EXPECT_NEAR(parsed["reliability"][2]["to"].get<double>(), 3.2, 1e-5);
  EXPECT_EQ(parsed["reliability"][0]["parts"].size(), 4U);
  EXPECT_NE(csv(result).find("time_informed,trust.doubt.within_frames.low,"), std::string::npos);
  EXPECT_NE(csv(result).find("time_informed,trust.reliability.3.4,"), std::string::npos);
  EXPECT_NE(table(result).find("at equal time"), std::string::npos) << table(result);
}

TEST_F(Evaluating, TellsOfDivergenceInsteadOfANumber) {
  const torch::NoGradGuard no_gradients;
  for (auto& p : model_.field->parameters()) p.fill_(1e20);
  const std::vector<std::size_t> samples{9};
  const auto result =
      evaluate({.model = rollout::on_tensors(model_), .solver = *solver_}, *source_, samples, {});
  EXPECT_FALSE(result.parts[1].find("rollout_rmse")->value);
  EXPECT_NE(result.parts[1].divergence.find("sample 9"), std::string::npos) << result.parts[1].divergence;
  EXPECT_NE(table(result).find("diverged"), std::string::npos);
}

TEST_F(Evaluating, CalibratesOnForecastsAndChecksOnOthers) {
  const auto gcs = solvers::make("gcs", rollout::context_of(rollout::facts_of(model_)));
  const rollout::Setup setup{.model = rollout::on_tensors(model_), .solver = *gcs};
  const std::vector<std::size_t> some{0, 1, 2, 3, 4}, others{5, 6, 7, 8, 9};
  const auto seen = trials(setup, *source_, some, {.together = 2});
  ASSERT_EQ(seen.size(), 5U);
  ASSERT_EQ(seen[0].error.size(), 33U);
  EXPECT_EQ(seen[0].error[0], 0);
  EXPECT_GT(seen[0].doubt[1], 0);
  EXPECT_GE(seen[0].doubt[32], seen[0].doubt[1]);
  const auto calibration = calibrate(seen);
  EXPECT_EQ(calibration.trajectories, 5);
  EXPECT_NEAR(calibration.horizon, 3.2, 1e-5);
  EXPECT_NEAR(calibration.longest_interval, 0.1, 1e-5);
  const auto own = coverage_of(calibration, 0.8, seen);
  EXPECT_EQ(own.inside, 5U) << "the fifth of five";
  const auto fresh = coverage_of(calibration, 0.8, trials(setup, *source_, others, {}));
  EXPECT_EQ(fresh.samples, 5U);
  Evaluation shown;
  shown.coverage = fresh;
  EXPECT_NE(table(shown).find(fmt::format("coverage at 0.8: {} of 5 samples", fresh.reached())),
            std::string::npos)
      << table(shown);
  EXPECT_EQ(nlohmann::json::parse(json(shown, {}))["error_bars"]["samples"], 5);
  const auto rk4 = solvers::make("rk4", rollout::context_of(rollout::facts_of(model_)));
  EXPECT_NE(testing_support::sentence_of<UsageError>([&] {
              calibrate(trials({.model = rollout::on_tensors(model_), .solver = *rk4}, *source_, some, {}));
            }).find("--solver gcs"),
            std::string::npos)
      << "rk4 takes no steps along the mean velocity";
}

TEST_F(Evaluating, RefusesWhatDoesNotFitWithASentence) {
  using testing_support::MemorySource;
  const rollout::Setup setup{.model = rollout::on_tensors(model_), .solver = *solver_};
  const std::vector<std::size_t> samples{1};
  const auto refusal = [&](const data::Source& source, const Options& options = {}) {
    return testing_support::sentence_of([&] { evaluate(setup, source, samples, options); });
  };
  const auto value = [](std::size_t, std::size_t frame, std::size_t) { return frame == 2 ? NAN : 0.5F; };
  const auto calm = [](std::size_t, std::size_t, std::size_t) { return 0.5F; };
  const std::vector<std::string> two{"angle", "velocity"};
  EXPECT_EQ(
      refusal(MemorySource({4, 4}, 1, 1, {"a", "b", "c"}, calm)).find("memory: has the channels a, b, c"),
      0U);
  EXPECT_EQ(refusal(MemorySource({4, 4}, 1, 8, two, calm)),
            "memory: has a grid of 8 (x), but the model was trained on no grid");
  EXPECT_EQ(refusal(MemorySource({4, 4}, 1, 1, two, value)),
            "memory: sample 1, frame 2, channel angle holds nan; NaN or infinite in this sample: angle 1 of "
            "4, velocity 1 of 4; fill these values, or leave the sample out (cvf data convert --samples); "
            "cvf data audit lists all samples");
  EXPECT_EQ(refusal(MemorySource({4, 1}, 1, 1, two, calm)),
            "memory: sample 1 has one frame only, so there is nothing to predict");
  Options sparse;
  sparse.every = 7;
  EXPECT_EQ(refusal(MemorySource({4, 4}, 1, 1, two, calm), sparse),
            "memory: sample 1 has 4 frames, so looking at every 7 of them leaves nothing to predict");
  MemorySource source({4, 4}, 1, 1, two, calm);
  source.time = [](std::size_t, std::size_t frame) { return frame == 2 ? 0.1 : 0.2 * double(frame); };
  EXPECT_EQ(refusal(source), "memory: sample 1: target time 0.1 comes after 0.2; targets must increase");
  source.time = [](std::size_t, std::size_t frame) { return frame == 0 ? 0.0 : 0.2; };
  EXPECT_EQ(refusal(source), "memory: sample 1: target time 0.2 is there twice");
  source.time = [](std::size_t, std::size_t frame) { return frame < 2 ? 0.0 : double(frame); };
  EXPECT_EQ(refusal(source), "memory: sample 1: the time 0 is there twice");
  Options unknown;
  unknown.protocols = {"sideways"};
  EXPECT_NE(testing_support::sentence_of<UsageError>([&] {
              evaluate(setup, *source_, samples, unknown);
            }).find("unknown protocol 'sideways'"),
            std::string::npos);
}

}  // namespace
}  // namespace cvf::evaluate

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/registry.hpp"
#include "data/trajectories.hpp"
#include "evaluate/record.hpp"
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
  const auto result = evaluate({.model = model_, .solver = *solver_}, *source_, samples, {});
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

TEST_F(Evaluating, DoesNotDependOnTheGroups) {
  const std::vector<std::size_t> samples{0, 3, 5, 8, 9};
  Options one, all;
  one.together = 1;
  const rollout::Setup setup{.model = model_, .solver = *solver_};
  const auto a = evaluate(setup, *source_, samples, one), b = evaluate(setup, *source_, samples, all);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto* metric = p == 0 ? "step_rmse" : "rollout_rmse";
    EXPECT_NEAR(value(a, p, metric), value(b, p, metric), 1e-6 * value(a, p, metric));
  }
}

TEST_F(Evaluating, WritesJsonThatSaysWhereItComesFrom) {
  const auto gcs = solvers::make("gcs", rollout::context_of(model_));
  const std::vector<std::size_t> samples{9};
  const auto result = evaluate({.model = model_, .solver = *gcs}, *source_, samples, {});
  const auto parsed = nlohmann::json::parse(json(result, {{"seed", "3"}}));
  EXPECT_EQ(parsed["origin"]["seed"], "3");
  EXPECT_EQ(parsed["time_informed"]["rollout_rmse"]["status"], "ok");
  EXPECT_EQ(parsed["time_informed"]["rollout_rmse"]["per_frame"].size(), 32U);
  EXPECT_EQ(parsed["time_informed"]["trust"]["pairs"], 32);
  EXPECT_NE(csv(result).find("direct,rollout_rmse,"), std::string::npos);
  EXPECT_NE(table(result).find("rank correlation"), std::string::npos);
}

TEST_F(Evaluating, TellsOfDivergenceInsteadOfANumber) {
  const torch::NoGradGuard no_gradients;
  for (auto& p : model_.field->parameters()) p.fill_(1e20);
  const std::vector<std::size_t> samples{9};
  const auto result = evaluate({.model = model_, .solver = *solver_}, *source_, samples, {});
  EXPECT_FALSE(result.parts[1].find("rollout_rmse")->value);
  EXPECT_NE(result.parts[1].divergence.find("sample 9"), std::string::npos) << result.parts[1].divergence;
  EXPECT_NE(table(result).find("diverged"), std::string::npos);
}

}  // namespace
}  // namespace cvf::evaluate

// A system with forcing: the exact secant of a linear system under a polynomial control has no rupture, and
// every objective is satisfied by it.
#include <gtest/gtest.h>

#include "objectives/objective.hpp"
#include "objectives/rupture.hpp"
#include "support/objectives.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

Tensor matrix() {
  return torch::tensor({{-0.4, 1.3}, {-1.1, -0.2}}, torch::kDouble);
}

class Forced : public testing::TestWithParam<std::int64_t> {
 protected:
  Forced() : field_(matrix(), GetParam()), normalizer_(test::no_scaling(2)) {
    torch::manual_seed(4);
    const Tensor s0 = torch::randn({5, 2}, torch::kDouble);
    batch_.steps = torch::tensor({{.5, .8, .3, 1.1, .6}, {.4, .7, .9, .2, .6}}, torch::kDouble);
    batch_.frames.push_back({s0});
    // One polynomial over all time for each row, seen at the nodes of each interval.
    coefficients_ = torch::randn({5, 3}, torch::kDouble);
    if (GetParam() < 3) coefficients_.select(1, 2).zero_();
    if (GetParam() < 2) coefficients_.select(1, 1).zero_();
    Tensor time = torch::zeros({5}, torch::kDouble);
    for (std::int64_t i = 0; i < 2; ++i) {
      batch_.contexts.push_back({.controls = control(time, batch_.steps[i])});
      const Tensor v = field_.forward(
          fields::Query{batch_.state(static_cast<std::size_t>(i)), batch_.steps[i], batch_.contexts.back()});
      batch_.frames.push_back({batch_.state(static_cast<std::size_t>(i)) + batch_.steps[i].unsqueeze(1) * v});
      time = time + batch_.steps[i];
    }
  }

  Tensor control(const Tensor& begin, const Tensor& dt) const {
    std::vector<Tensor> nodes;
    for (std::int64_t j = 0; j < GetParam(); ++j) {
      const double share = GetParam() == 1 ? 0 : static_cast<double>(j) / static_cast<double>(GetParam() - 1);
      const Tensor t = begin + share * dt;
      nodes.push_back(coefficients_.select(1, 0) + coefficients_.select(1, 1) * t +
                      coefficients_.select(1, 2) * t * t);
    }
    return torch::stack(nodes, 1).unsqueeze(2);
  }

  test::ForcedFlow field_;
  std::unique_ptr<normalizers::Normalizer> normalizer_;
  Tensor coefficients_;
  Batch batch_;
};

TEST_P(Forced, SecantsHaveNoRuptureWhereEachLegSeesItsPartOfTheControl) {
  const ScaledField field{field_, *normalizer_};
  const Place place{batch_.interval(0)};
  for (const std::int64_t legs : {2, 3, 5}) {
    const Tensor drawn = torch::rand({legs, 5}, torch::kDouble) + 0.1, shares = drawn / drawn.sum(0);
    for (const double share : {1.0, 0.4, 1.6}) {
      const Tensor span = share * batch_.step(0);
      EXPECT_LT(rupture(field, batch_.state(0), span, shares, place).abs().max().item<double>(), 1e-13)
          << legs << " legs over " << share;
    }
  }
  EXPECT_LT(normalised_rupture_error(field, batch_.state(0), batch_.step(0), place).max().item<double>(),
            1e-13);
}

TEST_P(Forced, LegsThatSeeTheWholeControlBreakTheWay) {
  if (GetParam() == 1) GTEST_SKIP() << "a constant control has no parts";
  const ScaledField field{field_, *normalizer_};
  const Tensor half = batch_.step(0) / 2;
  const auto& whole = batch_.contexts[0];
  const Tensor first = field.psi({batch_.state(0), half, whole});
  const Tensor second = field.psi({field.advance(batch_.state(0), half, first), half, whole});
  const Tensor broken = (first + second) / 2 - field.psi({batch_.state(0), batch_.step(0), whole});
  EXPECT_GT(broken.abs().max().item<double>(), 1e-3);
}

TEST_P(Forced, TheTruthSatisfiesEveryObjective) {
  for (const auto& [name, text] :
       {std::pair{"cvf", "rupture.span = \"scaled\"\npush.weight = 1.0\nanchor = 1.0"},
        {"cvf", "rupture.rows = 0.4\npush.weight = 1.0"},
        {"cvf", "rupture.span = \"free\"\nrupture.both_orders = true"},
        {"cvf", "rupture.span = \"whole\"\nrupture.bidirectional = true"},
        {"sm", "conditioned = true"},
        {"osg", "between = false"},
        {"osg", "between = false\nrows = 0.4"},
        {"pushforward", "steps = 2\nconditioned = true"}}) {
    const auto objective = test::objective(name, text);
    const auto draws = objective->draw({.seed = 2, .first_row = 0, .rows = 5});
    const auto losses = objective->loss({field_, *normalizer_}, batch_, draws);
    EXPECT_LT(losses.total.item<double>(), 1e-24) << name << ": " << text;
  }
}

TEST_P(Forced, ANeuralOdeSeesTheControlAtTheTimeOfEachStage) {
  const auto losses = test::objective("node", "steps = 32")->loss({field_, *normalizer_}, batch_, {});
  EXPECT_LT(losses.total.item<double>(), 1e-14) << "32 RK4 steps are fourth order in the control too";
}

INSTANTIATE_TEST_SUITE_P(Nodes, Forced, testing::Values(1, 2, 3),
                         [](const auto& values) { return "With" + std::to_string(values.param); });

}  // namespace
}  // namespace cvf::objectives

// Where the truth is known: the exact secant of a linear system, and minima that theory names.
#include <gtest/gtest.h>

#include "objectives/rupture.hpp"
#include "support/objectives.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

double largest(const Tensor& t) {
  return t.abs().max().item<double>();
}

class ExactFlow : public testing::Test {
 protected:
  ExactFlow()
      : flow_(torch::tensor({{-0.4, 1.3, 0.0}, {-1.1, -0.2, 0.5}, {0.3, 0.0, -0.9}}, torch::kDouble)) {
    torch::manual_seed(11);
    s0_ = torch::randn({5, 3}, torch::kDouble);
    batch_.steps = torch::tensor({0.1, 0.7, 1.5, 0.3, -0.6}, torch::kDouble).repeat({3, 1});
    batch_.frames.push_back({s0_});
    for (std::size_t i = 0; i < 3; ++i) {
      batch_.frames.push_back({flow_.after(batch_.state(i), batch_.step(0))});
    }
    for (std::size_t i = 0; i < 2; ++i) {  // the true tangents, in place of a spline's
      batch_.slopes.push_back(torch::matmul(batch_.state(i), flow_.matrix.detach().t()));
      batch_.curvatures.push_back(torch::matmul(batch_.slopes[i], flow_.matrix.detach().t()));
    }
  }

  Losses losses(std::string_view name, const std::string& toml = "") {
    const auto objective = test::objective(name, toml);
    return objective->loss(view(), batch_, objective->draw({3, 0, 5}));
  }
  ScaledField view() { return {flow_, *normalizer_}; }

  test::LinearFlow flow_;
  std::unique_ptr<normalizers::Normalizer> normalizer_ = test::no_scaling(3);
  Tensor s0_;
  Batch batch_;
};

TEST_F(ExactFlow, HasNoRuptureWithAnyNumberOfCorners) {
  const torch::NoGradGuard no_grad;
  for (const std::int64_t legs : {2, 3, 6}) {
    const Tensor drawn = torch::rand({legs, 5}, torch::kDouble);
    EXPECT_LT(largest(rupture(view(), s0_, batch_.step(0), drawn / drawn.sum(0))), 2e-14) << legs;
  }
  EXPECT_LT(largest(normalised_rupture_error(view(), s0_, batch_.step(0))), 1e-14);
}

TEST_F(ExactFlow, IsTheMinimumOfCvfWithEveryOption) {
  for (const char* toml :
       {"", "rupture.bidirectional = true", "rupture.corners = 5", "rupture.span = \"whole\"",
        "rupture = {bidirectional = true, span = \"scaled\", corners = 4, r = \"beta\"}",
        "rupture = {span = \"log\", both_orders = true}\nanchor = 0.7",
        "rupture = {span = \"free\", both_orders = true, stop_gradient = \"long\"}",
        "rupture.stop_gradient = \"legs\"", "push.weight = 1", "push = {weight = 0.5, gradient = true}",
        "tangent.spline = \"cubic\"", "tangent.spline = \"quintic\"\nrupture.bidirectional = true"}) {
    flow_.zero_grad();
    const Losses ours = losses("cvf", toml);
    for (const auto& [name, part] : ours.parts) EXPECT_LT(part.item<double>(), 1e-26) << toml << " " << name;
    ours.total.backward();
    EXPECT_LT(largest(flow_.matrix.grad()), 1e-12) << toml;
  }
}

TEST_F(ExactFlow, HasNoSemigroupMismatchFromAnyState) {
  for (const char* toml : {"", "between = false"}) {
    for (const auto& [name, part] : losses("osg", toml).parts)
      EXPECT_LT(part.item<double>(), 1e-26) << toml << " " << name;
  }
}

TEST_F(ExactFlow, IsTheMinimumOfConditionedSecantMatching) {
  EXPECT_LT(losses("sm", "conditioned = true").total.item<double>(), 1e-26);
}

TEST_F(ExactFlow, AtDtZeroIsTheTangent) {
  const torch::NoGradGuard no_grad;
  EXPECT_LT(largest(flow_.forward(s0_, torch::zeros(5, torch::kDouble)) - batch_.slopes[0]), 1e-15);
}

TEST_F(ExactFlow, IsMissedByRungeKuttaAtItsOrder) {
  const auto error = [&](double dt, int steps) {
    batch_.steps = torch::full({1, 5}, dt, torch::kDouble);
    batch_.frames[1] = {flow_.after(s0_, batch_.step(0))};
    return std::sqrt(losses("node", fmt::format("steps = {}", steps)).total.item<double>());
  };
  EXPECT_NEAR(std::log2(error(0.4, 1) / error(0.2, 1)), 4, 0.2);
  EXPECT_NEAR(std::log2(error(0.4, 1) / error(0.4, 2)), 4, 0.2);
}

TEST_F(ExactFlow, SplitsIntoMismatchAndCurvatureThatCancel) {
  const auto terms = [&](double span) {
    const Tensor shares = torch::tensor({0.3, 0.45, 0.25}, torch::kDouble).unsqueeze(1).expand({3, 5});
    return rupture_terms(view(), s0_, torch::full({5}, span, torch::kDouble), shares);
  };
  const auto wide = terms(0.04), narrow = terms(0.02);
  EXPECT_LT(largest(narrow.total), 1e-14);
  EXPECT_GT(largest(narrow.mismatch), 1e-3);  // first order in the span, and so is the curvature
  EXPECT_NEAR(std::log2(largest(wide.curvature) / largest(narrow.curvature)), 1, 0.1);
  EXPECT_NEAR(std::log2(largest(wide.remainder) / largest(narrow.remainder)), 2, 0.1);
  EXPECT_LT(largest(narrow.mismatch + narrow.curvature + narrow.remainder - narrow.total), 1e-16);
}

TEST_F(ExactFlow, SplitsTheTriangleAsThePaperWritesIt) {
  const double r = 0.3, dt = 0.2;
  const Tensor span = torch::full({5}, dt, torch::kDouble);
  const auto terms =
      rupture_terms(view(), s0_, span, torch::tensor({r, 1 - r}, torch::kDouble).unsqueeze(1).expand({2, 5}));
  const torch::NoGradGuard no_grad;
  const auto psi = [&](const Tensor& s, double share) { return flow_.forward(s, share * span); };
  const Tensor one = r * psi(s0_, r) + (1 - r) * psi(s0_, 1 - r) - psi(s0_, 1);
  const Tensor two = r * (1 - r) * dt * psi(psi(s0_, r), 1 - r);  // psi is linear in s: its own derivative
  EXPECT_LT(largest(terms.mismatch - one), 1e-15);
  EXPECT_LT(largest(terms.curvature - two), 1e-15);
}

// Straight lines between frames: the secant over one interval, that begins at the state looking forward and
// ends there looking back, whatever part of it is asked for.
struct StraightLines : test::LinearFlow {
  double interval;
  StraightLines(const test::LinearFlow& flow, double length)
      : LinearFlow(flow.matrix.detach()), interval(length) {}
  using LinearFlow::forward;
  Tensor forward(const fields::Query& query) override {
    return LinearFlow::forward({query.state, interval * query.dt.sign(), query.context});
  }
};

TEST_F(ExactFlow, IsNotTheOnlyMinimumWhereTheLastLegLooksBack) {
  batch_.steps = torch::full({3, 5}, 0.7, torch::kDouble);
  batch_.frames[1] = {flow_.after(s0_, batch_.step(0))};
  StraightLines lines(flow_, 0.7);
  const auto rupture_of = [&](const std::string& toml) {
    const auto objective = test::objective("cvf", "recipe = \"paper\"\n" + toml);
    const torch::NoGradGuard no_grad;
    const auto parts = objective->loss({lines, *normalizer_}, batch_, objective->draw({3, 0, 5})).parts;
    EXPECT_LT(parts[0].second.item<double>(), 1e-26) << "the secant fits";
    EXPECT_EQ(parts[1].first, "rupture");
    return parts[1].second.item<double>();
  };
  EXPECT_LT(rupture_of("rupture.bidirectional = true"), 1e-26);
  EXPECT_GT(rupture_of(""), 1e-4) << "a second step from where the first one ends sees the bend";
}

// A field that can only give one vector must give the mean of what it is asked to regress.
class OneVector : public ExactFlow {
 protected:
  double slope_at(const Tensor& value, std::string_view name, const std::string& toml = "") {
    {
      const torch::NoGradGuard no_grad;
      field_.value.copy_(scaled_->psi_of(value).mean(0));
    }
    field_.zero_grad();
    const auto objective = test::objective(name, toml);
    draws_ = objective->draw({3, 0, 5});
    objective->loss({field_, *scaled_}, batch_, draws_).total.backward();
    return largest(field_.value.grad());
  }
  Tensor secant() const { return (batch_.state(1) - batch_.state(0)) / batch_.step(0).unsqueeze(1); }

  test::ConstantField field_{3};
  std::unique_ptr<normalizers::Normalizer> scaled_ = test::some_scaling(3);
  Draws draws_;
};

TEST_F(OneVector, IsTheMeanSecantForAllThatMatchSecants) {
  for (const char* name : {"cvf", "sm", "cfm", "node", "osg"})
    EXPECT_LT(slope_at(secant(), name), 1e-14) << name;
  EXPECT_LT(slope_at(secant(), "pushforward", "steps = 1"), 1e-14);
  EXPECT_GT(slope_at(secant() + 0.1, "sm"), 1e-2);
}

TEST_F(OneVector, IsTheMeanSplineTangentForTangentMatching) {
  for (const char* toml : {"", "spline = \"quintic\""}) {
    slope_at(secant(), "tm", toml);  // draws the points
    const bool quintic = *toml != 0;
    const auto end = [&](std::size_t i) {
      return HermiteEnd{batch_.state(i), batch_.slopes[i], quintic ? batch_.curvatures[i] : Tensor()};
    };
    const Tensor tangent = hermite(end(0), end(1), batch_.step(0), draws_.points).velocity;
    EXPECT_LT(slope_at(tangent, "tm", toml), 1e-14);
  }
}

TEST_F(OneVector, OfThePushforwardReturnsToTheTrueFrame) {
  // With a constant v the pushed part asks for (s2 - (s0 + dt v))/dt, where its gradient does not look.
  batch_.frames.resize(3);
  const Tensor straight = (batch_.state(2) - batch_.state(0)) / batch_.step(0).unsqueeze(1) / 2;
  const auto objective = test::objective("pushforward");
  const torch::NoGradGuard no_grad;
  field_.value.copy_(straight[0]);
  Batch one;
  for (const auto& frame : batch_.frames) one.frames.push_back({frame.value.narrow(0, 0, 1)});
  one.steps = batch_.steps.narrow(1, 0, 1);
  const auto parts = objective->loss({field_, *normalizer_}, one, {}).parts;
  EXPECT_EQ(parts[1].first, "pushed");
  EXPECT_LT(parts[1].second.item<double>(), 1e-26);
}

}  // namespace
}  // namespace cvf::objectives

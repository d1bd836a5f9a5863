#include "objectives/splines.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

const Spline both[]{Spline::cubic, Spline::quintic};

// Irregular times of two trajectories [F,2] over about [0, length].
Tensor uneven_times(std::int64_t frames, double length = 1) {
  const Tensor i = torch::arange(frames, torch::kDouble);
  const Tensor one = i + 0.3 * torch::sin(2.0 * i), two = i + 0.25 * torch::cos(3.0 * i);
  return torch::stack({one, two}, 1) * (length / static_cast<double>(frames - 1));
}

// sum_n t^n/(n+1) and its derivative, as a [F,B,1] state
CurvePoint polynomial(const Tensor& t, int degree) {
  Tensor value = torch::zeros_like(t), slope = torch::zeros_like(t);
  for (int n = 0; n <= degree; ++n) {
    value += t.pow(n) / (n + 1);
    if (n > 0) slope += n * t.pow(n - 1) / (n + 1);
  }
  return {value.unsqueeze(2), slope.unsqueeze(2)};
}

double worst(const CurvePoint& a, const CurvePoint& b) {
  return std::max((a.state - b.state).abs().max().item<double>(),
                  (a.velocity - b.velocity).abs().max().item<double>());
}

double polynomial_error(Spline kind, std::int64_t frames, int degree) {
  const Tensor times = uneven_times(frames);
  const Knots knots = fit_spline(kind, times, polynomial(times, degree).state);
  const Tensor wanted = torch::rand({40, 2}, torch::kDouble);
  return worst(evaluate(knots, wanted), polynomial(wanted, degree));
}

TEST(Splines, AreExactForPolynomialsOfTheirDegree) {
  EXPECT_LT(polynomial_error(Spline::cubic, 9, 3), 1e-12);
  EXPECT_LT(polynomial_error(Spline::quintic, 9, 5), 1e-11);
  EXPECT_GT(polynomial_error(Spline::cubic, 9, 4), 1e-6);
  EXPECT_GT(polynomial_error(Spline::quintic, 9, 6), 1e-6);
}

TEST(Splines, FallBackToTheDegreeThatFewFramesAllow) {
  for (const auto kind : both) {
    EXPECT_LT(polynomial_error(kind, 2, 1), 1e-13);
    EXPECT_LT(polynomial_error(kind, 3, 2), 1e-13);
    EXPECT_LT(polynomial_error(kind, 4, 3), 1e-12);
  }
  EXPECT_LT(polynomial_error(Spline::quintic, 5, 4), 1e-12);
}

TEST(Splines, PassThroughTheFramesWithTheSlopesTheyReport) {
  for (const auto kind : both) {
    const Tensor times = uneven_times(8), values = torch::randn({8, 2, 3}, torch::kDouble);
    const Knots knots = fit_spline(kind, times, values);
    EXPECT_LT(worst(evaluate(knots, times), {values, knots.slopes}), 1e-11);
  }
}

TEST(Splines, OfTheCubicKindHaveContinuousCurvatureAndNoKnotNextToTheEnds) {
  const Tensor times = uneven_times(7), values = torch::randn({7, 2, 1}, torch::kDouble);
  const Knots knots = fit_spline(Spline::cubic, times, values);
  const double e = 1e-4;
  const auto bend = [&](std::int64_t knot, double side) {  // y'' just beside a knot
    const Tensor at = times.narrow(0, knot, 1) + side * e;
    return (evaluate(knots, at + e / 2).velocity - evaluate(knots, at - e / 2).velocity) / e;
  };
  const auto jump = [&](std::int64_t knot, double far) {  // of y''' when far > 1
    const Tensor after = bend(knot, far) - bend(knot, 1), before = bend(knot, -1) - bend(knot, -far);
    return ((after - before) / e).abs().max().item<double>();
  };
  for (std::int64_t knot = 1; knot < 6; ++knot)
    EXPECT_LT((bend(knot, 1) - bend(knot, -1)).abs().max().item<double>(), 1.0) << knot;
  EXPECT_LT(jump(1, 9), 0.05 * jump(3, 9));
  EXPECT_LT(jump(5, 9), 0.05 * jump(3, 9));
}

// log2 of how the error of sin(3t) falls when the frames are twice as dense
std::pair<double, double> orders(Spline kind) {
  const auto error = [&](std::int64_t frames) {
    const Tensor times = uneven_times(frames, 2), t = 0.2 + 1.6 * torch::rand({400, 2}, torch::kDouble);
    const Knots knots = fit_spline(kind, times, torch::sin(3 * times).unsqueeze(2));
    const CurvePoint p = evaluate(knots, t);
    return std::pair{(p.state.squeeze(2) - torch::sin(3 * t)).square().mean().sqrt().item<double>(),
                     (p.velocity.squeeze(2) - 3 * torch::cos(3 * t)).square().mean().sqrt().item<double>()};
  };
  const auto coarse = error(33), fine = error(129);  // four times as dense
  return {std::log2(coarse.first / fine.first) / 2, std::log2(coarse.second / fine.second) / 2};
}

TEST(Splines, ConvergeAtTheirOrder) {
  torch::manual_seed(5);
  const auto [cubic_state, cubic_velocity] = orders(Spline::cubic);
  const auto [quintic_state, quintic_velocity] = orders(Spline::quintic);
  EXPECT_NEAR(cubic_state, 4, 0.4);
  EXPECT_NEAR(cubic_velocity, 3, 0.4);
  EXPECT_NEAR(quintic_state, 6, 0.5);
  EXPECT_NEAR(quintic_velocity, 5, 0.5);
}

TEST(Splines, TreatEveryRowAsIfItWereAlone) {
  const Tensor times = uneven_times(9), values = torch::randn({9, 2, 2, 3}, torch::kDouble);
  for (const auto kind : both) {
    const Knots together = fit_spline(kind, times, values);
    const Knots alone = fit_spline(kind, times.narrow(1, 1, 1), values.narrow(1, 1, 1));
    EXPECT_LT((together.slopes.narrow(1, 1, 1) - alone.slopes).abs().max().item<double>(), 1e-11);
  }
}

TEST(Splines, RefuseTimesThatDoNotIncreaseAndSingleFrames) {
  const Tensor same = torch::zeros({4, 1}, torch::kDouble);
  EXPECT_THROW(fit_spline(Spline::cubic, same, same), UsageError);
  EXPECT_THROW(fit_spline(Spline::cubic, same.narrow(0, 0, 1), same.narrow(0, 0, 1)), UsageError);
}

}  // namespace
}  // namespace cvf::objectives

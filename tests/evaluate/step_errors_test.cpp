// From tried steps to the map that a tolerance goes by.
#include "evaluate/step_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/errors.hpp"

namespace cvf::evaluate {
namespace {

// error = 3 NRE^0.5 tau^2, with noise of a factor of 1.5 on every step.
TEST(StepErrorsFit, ReproducesAClosedFormAndRises) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise;
  std::uniform_real_distribution<double> exponent(-4, -1);
  std::vector<TriedStep> tried;
  for (const double length : {0.1, 0.2, 0.4, 0.8}) {
    for (int i = 0; i < 4000; ++i) {
      const double nre = std::pow(10, exponent(random));
      tried.push_back({nre, length, 3 * std::sqrt(nre) * length * length * std::exp(0.4 * noise(random))});
    }
  }
  const auto map = fit_step_errors(tried);
  EXPECT_TRUE(map.sound());
  ASSERT_EQ(map.length.size(), 4U);
  EXPECT_NEAR(map.length[2], 0.4, 1e-12);
  for (const double length : {0.1, 0.15, 0.4, 0.7}) {
    for (const double nre : {1e-3, 5e-3, 3e-2}) {
      const double exact = 3 * std::sqrt(nre) * length * length;
      EXPECT_NEAR(std::log(map.at(nre, length) / exact), 0, 0.1) << nre << " " << length;
    }
  }
  double before = 0;
  for (double nre = 1e-5; nre < 1; nre *= 1.3) {
    EXPECT_GE(map.at(nre, 0.3), before);
    before = map.at(nre, 0.3);
  }
}

TEST(StepErrorsFit, TakesFewStepsAndRefusesNone) {
  const auto map = fit_step_errors(std::vector<TriedStep>{{1e-3, 0.1, 1e-4}, {2e-3, 0.2, 3e-4}});
  EXPECT_TRUE(map.sound());
  EXPECT_NEAR(map.at(1e-3, 0.1), 1e-4, 1e-9);
  EXPECT_THROW(fit_step_errors({}), DataError);
}

}  // namespace
}  // namespace cvf::evaluate

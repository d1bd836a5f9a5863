// Step sizes, retries and failure, with stand-in equations.
#include "systems/finite_volume.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"

namespace cvf::systems {
namespace {

void copy_state(const Sweep& s, double rate) {
  for (std::ptrdiff_t n = 0; n < s.plane; ++n) s.next[n] = s.state[n];
  for (int i = 0; i < s.nx; ++i) s.signal[i] = rate;
}

// Stable up to dt = 0.8 / 10, whatever the state.
void idle(const Sweep& s) {
  copy_state(s, 10);
}
// Breaks whenever it is longer than 0.03.
void touchy(const Sweep& s) {
  copy_state(s, s.dt > 0.03 ? HUGE_VAL : 10);
}
void hopeless(const Sweep& s) {
  copy_state(s, s.dt > 0 ? HUGE_VAL : 10);
}

// Every step wants the next one to be ten times shorter.
void runaway(const Sweep& s) {
  copy_state(s, s.dt > 0 ? 10 / s.dt : 10);
}

FiniteVolume solver_with(Step step) {
  FiniteVolume solver({.step = step, .components = 1, .grid = {3, 4}});
  solver.start(std::vector<double>(12, 1.0));
  return solver;
}

TEST(FiniteVolume, TakesEqualStepsThatHitTheTimeExactly) {
  FiniteVolume solver = solver_with(idle);
  solver.advance_to(0.1);  // 2 steps of 0.05
  EXPECT_EQ(solver.time(), 0.1);
  EXPECT_EQ(solver.steps(), 2);
  EXPECT_DOUBLE_EQ(solver.smallest_dt(), 0.05);
  solver.advance_to(0.1);
  EXPECT_EQ(solver.steps(), 2);
  EXPECT_EQ(solver.rejected(), 0);
}

TEST(FiniteVolume, HalvesAStepThatBreaks) {
  FiniteVolume solver = solver_with(touchy);
  solver.advance_to(0.1);
  EXPECT_FALSE(solver.failed());
  EXPECT_GT(solver.rejected(), 0);
  EXPECT_LE(solver.smallest_dt(), 0.03);
  EXPECT_EQ(solver.time(), 0.1);
  EXPECT_EQ(solver.cell(0, 2, 3), 1.0);
}

TEST(FiniteVolume, GivesUpWithFramesThatAreNotANumber) {
  FiniteVolume solver({.step = hopeless, .components = 1, .grid = {3, 4}});
  std::vector<bool> finite;
  run_frames(
      solver, std::vector<double>(12, 1.0), std::vector{0.0, 0.1, 0.2}, 1,
      [](const FiniteVolume& from, std::span<double> planes) { from.copy_planes(planes); },
      [&](std::size_t, std::span<const double> planes) { finite.push_back(std::isfinite(planes[5])); });
  EXPECT_TRUE(solver.failed());
  EXPECT_EQ(finite, (std::vector<bool>{true, false, false}));
}

TEST(FiniteVolume, GivesUpWhenTheStepsShrinkWithoutEnd) {
  FiniteVolume solver = solver_with(runaway);
  solver.advance_to(1);
  EXPECT_TRUE(solver.failed());
  EXPECT_LT(solver.steps(), 20);
  EXPECT_TRUE(std::isnan(solver.cell(0, 0, 0)));
}

TEST(FiniteVolume, RefusesAGridThatIsNarrowerThanItsGhosts) {
  EXPECT_THROW(FiniteVolume({.step = idle, .components = 1, .grid = {8, 1}}), ConfigError);
}

}  // namespace
}  // namespace cvf::systems

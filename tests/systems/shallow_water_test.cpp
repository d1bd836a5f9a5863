// The radial dam break against exact states, symmetries, its own refinement and PyClaw's frames.
#include "systems/shallow_water.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "core/errors.hpp"
#include "support/frames.hpp"
#include "support/reference.hpp"
#include "systems/cpu.hpp"

namespace cvf::systems {
namespace {

using tests::Frames;
using Planes = std::vector<double>;

ShallowWater::Options pdebench() {
  ShallowWater::Options options;
  options.apply(ShallowWater::Preset::pdebench);
  return options;
}

/// A centred sharp disc of radius 0.5, inner depth 2; primitive planes at the wanted times.
Frames radial_dam(int cells, const std::vector<double>& times, Step step = shallow_step()) {
  const ShallowWater system({cells, cells}, pdebench());
  FiniteVolume solver({.step = step,
                       .components = 3,
                       .grid = {cells, cells},
                       .length_x = 5,
                       .length_y = 5,
                       .edge = Edge::outflow,
                       .cfl = 0.9,
                       .fluid = {}});
  solver.start(system.initial_state({0.5, 0, 0, 2}));
  Frames frames;
  for (const double time : times) {
    solver.advance_to(time);
    solver.copy_planes(frames.emplace_back(3UL * cells * cells));
  }
  return frames;
}

/// A dam along y at x = 0 of the strip (-1, 1), 4 cells wide, at time 0.4; g = 1.
FiniteVolume planar_dam(double left, double right, int cells) {
  FiniteVolume solver({.step = shallow_step(),
                       .components = 3,
                       .grid = {4, cells},
                       .length_x = 2,
                       .length_y = 8.0 / cells,
                       .edge = Edge::outflow,
                       .cfl = 0.9,
                       .fluid = {}});
  Planes planes(12UL * cells);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < cells; ++i)
      planes[static_cast<std::size_t>(j * cells + i)] = i < cells / 2 ? left : right;
  }
  solver.start(planes);
  solver.advance_to(0.4);
  return solver;
}

int cell_at(double x, int cells) {
  return static_cast<int>((x + 1) / 2 * cells);
}

/// The first plane; of a named vector, which must outlive it.
std::span<const double> depth(const Planes&&) = delete;
std::span<const double> depth(const Planes& planes) {
  return std::span(planes).first(planes.size() / 3);
}

double mean_difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += std::abs(a[n] - b[n]);
  return sum / static_cast<double>(a.size());
}

Planes averaged(std::span<const double> fine, int cells, int factor) {
  Planes out(static_cast<std::size_t>(cells * cells));
  for (int j = 0; j < cells * factor; ++j) {
    for (int i = 0; i < cells * factor; ++i) {
      out[static_cast<std::size_t>(j / factor * cells + i / factor)] +=
          fine[static_cast<std::size_t>(j * cells * factor + i)] / (factor * factor);
    }
  }
  return out;
}

TEST(ShallowWater, ReachesTheExactStatesOfAPlanarDamBreak) {
  const int cells = 400;
  const FiniteVolume solver = planar_dam(2, 1, cells);
  for (const double x : {-0.2, 0.0, 0.3, 0.45}) {  // between the rarefaction's tail and the shock
    EXPECT_NEAR(solver.cell(0, 1, cell_at(x, cells)), 1.453841, 0.01 * 1.453841) << x;
    EXPECT_NEAR(solver.cell(1, 1, cell_at(x, cells)), 0.416921, 0.01 * 0.416921) << x;
  }
  const double shock = 0.4 * 1.335570;
  EXPECT_GT(solver.cell(0, 1, cell_at(shock - 0.015, cells)), 1.4);
  EXPECT_LT(solver.cell(0, 1, cell_at(shock + 0.015, cells)), 1.05);
  EXPECT_NEAR(solver.cell(0, 1, cell_at(-0.4 * std::sqrt(2.0) - 0.05, cells)), 2, 1e-3);
}

TEST(ShallowWater, FollowsRittersSolutionOntoADryBed) {
  const int cells = 400;
  const FiniteVolume solver = planar_dam(1, 0, cells);
  for (const double x : {-0.3, -0.2, 0.0, 0.2, 0.4, 0.5}) {  // h = (2 - x/t)^2 / 9, u = 2 (1 + x/t) / 3
    const double centre = (cell_at(x, cells) + 0.5) / cells * 2 - 1, similarity = centre / 0.4;
    EXPECT_NEAR(solver.cell(0, 1, cell_at(x, cells)), (2 - similarity) * (2 - similarity) / 9, 0.003) << x;
    EXPECT_NEAR(solver.cell(1, 1, cell_at(x, cells)), 2 * (1 + similarity) / 3, 0.01) << x;
  }
  double mass = 0;
  for (int i = 0; i < cells; ++i) {
    EXPECT_GE(solver.cell(0, 1, i), 0);
    mass += solver.cell(0, 1, i);
  }
  EXPECT_NEAR(mass, cells / 2.0, 1e-10);
  EXPECT_FALSE(solver.failed());
}

TEST(ShallowWater, KeepsADryRadialDamPositive) {
  ShallowWater::Options options;
  options.outer_height = 0;
  const ShallowWater system({40, 48}, options);
  for (const auto& frame : tests::simulate(system, {.seed = 3}, tests::even_times(6, 0.2))) {
    for (const double h : depth(frame)) ASSERT_GE(h, 0);
    for (const double value : frame) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(ShallowWater, LeavesStillWaterAlone) {
  FiniteVolume solver({.step = shallow_step(), .components = 3, .grid = {7, 9}, .edge = Edge::outflow});
  Planes planes(3 * 63, 0.0);
  std::fill_n(planes.begin(), 63, 1.7);
  solver.start(planes);
  solver.advance_to(1);
  Planes after(planes.size());
  solver.copy_planes(after);
  EXPECT_EQ(after, planes);
}

TEST(ShallowWater, ConservesMassAndMomentumWhileTheWaveIsInside) {
  const Frames frames = radial_dam(128, {0, 0.5, 1});
  for (const Planes& frame : frames) {
    const std::size_t cells = frame.size() / 3;
    double mass = 0, momentum = 0;
    for (std::size_t n = 0; n < cells; ++n) {
      mass += frame[n];
      momentum += frame[n] * frame[cells + n];
    }
    EXPECT_NEAR(mass * 25 / 16384, 25.799560546875, 1e-12);
    EXPECT_NEAR(momentum / 16384, 0, 1e-15);
  }
}

TEST(ShallowWater, IsSymmetricUnderTranspositionAndMirrors) {
  const int cells = 128;
  const Planes frame = radial_dam(cells, {1}).front();
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const auto at = [&](int row, int column) {
        return frame[static_cast<std::size_t>(row * cells + column)];
      };
      ASSERT_EQ(at(j, i), at(i, j));
      ASSERT_NEAR(at(j, i), at(j, cells - 1 - i), 1e-13);
      ASSERT_NEAR(at(j, i), at(cells - 1 - j, i), 1e-13);
    }
  }
}

TEST(ShallowWater, StaysNearPyClawsFrames) {
  if (!tests::has_reference("sw_128_R0.5.h5")) GTEST_SKIP() << "reference sw_128_R0.5.h5 is absent";
  const Planes times = tests::read_reference("sw_128_R0.5.h5", "t");
  const Planes reference = tests::read_reference("sw_128_R0.5.h5", "h");
  std::vector<double> every_frame = tests::even_times(101, 0.01);
  const Frames frames = radial_dam(128, every_frame);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const auto nearest = static_cast<std::size_t>(std::lround(times[k] * 100));
    const auto theirs = std::span(reference).subspan(k * 16384, 16384);
    EXPECT_LE(mean_difference(depth(frames[nearest]), theirs), 1e-3) << "t = " << times[k];
  }
}

TEST(ShallowWater, AgreesWithTheFineGrid) {
  const Frames fine = radial_dam(512, {0.5, 1});
  const Frames coarse = radial_dam(128, tests::even_times(101, 0.01));
  EXPECT_LE(mean_difference(depth(coarse[50]), averaged(depth(fine[0]), 128, 4)), 2.0e-3);
  EXPECT_LE(mean_difference(depth(coarse[100]), averaged(depth(fine[1]), 128, 4)), 2.5e-3);
}

TEST(ShallowWater, GivesTheSameBitsOnEveryCpu) {
  if (!cpu_has_avx2()) GTEST_SKIP() << "this CPU has no AVX2";
  EXPECT_EQ(radial_dam(67, {0.3}, portable::shallow_step), radial_dam(67, {0.3}, shallow_step()));
  EXPECT_NE(portable::shallow_step, shallow_step());
}

TEST(ShallowWater, RepeatsThePublishedDraw) {
  const ShallowWater system({128, 128}, pdebench());
  EXPECT_EQ(system.draw_dam({.seed = 0, .sample = 0}).radius, 0.5195254015709299);
  EXPECT_EQ(system.draw_dam({.seed = 0, .sample = 1}).radius, 0.4668088018810296);
  EXPECT_EQ(system.draw_dam({.seed = 1, .sample = 0}).radius, 0.4668088018810296);
  const ShallowWater::Dam dam = system.draw_dam({.seed = 0, .sample = 7});
  EXPECT_EQ(dam.centre_x, 0);
  EXPECT_EQ(dam.centre_y, 0);
  EXPECT_EQ(dam.inner_height, 2);
  EXPECT_EQ(system.state().names(), std::vector<std::string>{"h"});
}

TEST(ShallowWater, HasOnly81PublishedInitialStatesInAThousand) {
  const ShallowWater published({128, 128}, pdebench()), varied({128, 128}, {});
  std::set<Planes> published_states, varied_states;
  for (std::uint64_t sample = 0; sample < 1000; ++sample) {
    const Planes state = published.initial_state(published.draw_dam({.seed = 0, .sample = sample}));
    published_states.insert(Planes(state.begin(), state.begin() + 16384));
    if (sample < 50)
      varied_states.insert(varied.initial_state(varied.draw_dam({.seed = 0, .sample = sample})));
  }
  EXPECT_EQ(published_states.size(), 81);
  EXPECT_EQ(varied_states.size(), 50);
}

TEST(ShallowWater, AntialiasedDiscHoldsTheExactVolume) {
  const ShallowWater system({48, 64}, {});
  for (std::uint64_t sample = 0; sample < 10; ++sample) {
    const ShallowWater::Dam dam = system.draw_dam({.seed = 5, .sample = sample});
    const Planes planes = system.initial_state(dam);
    double above = 0;
    for (const double h : depth(planes)) above += h - 1;
    const double volume = std::numbers::pi * dam.radius * dam.radius * (dam.inner_height - 1);
    EXPECT_NEAR(above * 25 / (64 * 48), volume, 1e-12);
    EXPECT_TRUE(dam.inner_height >= 1.5 && dam.inner_height < 2.5);
  }
}

TEST(ShallowWater, StoresMomentumOnlyWhenAsked) {
  ShallowWater::Options options;
  const ShallowWater full({24, 32}, options);
  options.state = ShallowWater::Channels::depth;
  const ShallowWater only_depth({24, 32}, options);
  const Frames a = tests::simulate(full, {.seed = 1}, {0, 0.1}),
               b = tests::simulate(only_depth, {.seed = 1}, {0, 0.1});
  EXPECT_EQ(full.state().names(), (std::vector<std::string>{"h", "hu", "hv"}));
  EXPECT_EQ(a[1].size(), 3UL * 32 * 24);
  EXPECT_EQ(Planes(depth(a[1]).begin(), depth(a[1]).end()), b[1]);
  EXPECT_GT(tests::largest_difference(std::span(a[1]).subspan(768, 768), std::span(a[0]).subspan(768, 768)),
            0.1);
}

TEST(ShallowWater, LetsKeysOverrideThePreset) {
  ShallowWater::Options options;
  const auto describe = [&](config::Section& section) { options.describe(section); };
  config::Document::from_text("preset = 'pdebench'\nstate = 'full'\nradius = [0.4, 0.4]", "test")
      .read(describe);
  EXPECT_EQ(options.disc, ShallowWater::DiscEdge::sharp);
  EXPECT_EQ(options.state, ShallowWater::Channels::full);
  EXPECT_EQ(options.radius, (std::vector<double>{0.4, 0.4}));

  const std::string resolved = config::write(describe);
  ShallowWater::Options again;
  const auto describe_again = [&](config::Section& section) { again.describe(section); };
  config::Document::from_text(resolved, "resolved").read(describe_again);
  EXPECT_EQ(config::write(describe_again), resolved);
  EXPECT_EQ(again.state, ShallowWater::Channels::full);
}

TEST(ShallowWater, RefusesBackwardRanges) {
  ShallowWater::Options options;
  options.radius = {0.7, 0.3};
  EXPECT_THROW(ShallowWater({16, 16}, options), ConfigError);
  options.radius = {0.7};
  EXPECT_THROW(ShallowWater({16, 16}, options), ConfigError);
}

}  // namespace
}  // namespace cvf::systems

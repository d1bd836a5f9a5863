// Parameters that are drawn for each sample, and forces: across the systems that have them.
#include "systems/drawn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "support/frames.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"
#include "systems/system.hpp"

namespace cvf::systems {
namespace {

std::unique_ptr<System> system_with(const std::string& name, const std::string& toml) {
  const Row& row = find(registry(), name, "system");
  const auto settings = row.settings();
  config::Document::from_text(toml, "options").read([&](config::Section& s) { settings->describe(s); });
  const bool vector = row.grid.nx == 1;
  return settings->build(vector ? GridSize{} : GridSize{row.grid.ny == 1 ? 1 : 12, 16});
}

Scalars scalars_of(const System& system, const Draw& draw) {
  return system.simulate(draw, std::vector{0.0, 0.01}, [](std::size_t, std::span<const double>) {});
}

double value(const Scalars& scalars, const std::string& name) {
  const auto found = std::ranges::find_if(scalars, [&](const auto& scalar) { return scalar.first == name; });
  return found == scalars.end() ? NAN : found->second;
}

struct Case {
  const char* system;
  const char* parameter;
  double low, high;
};

class EveryDrawnParameter : public testing::TestWithParam<Case> {
 protected:
  std::string range(double low, double high) const {
    return fmt::format("{}_range = [{:.17g}, {:.17g}]\n", GetParam().parameter, low, high);
  }
};

TEST_P(EveryDrawnParameter, LiesInItsRangeDiffersBySampleAndIsDeclared) {
  const auto [name, parameter, low, high] = GetParam();
  const auto system = system_with(name, range(low, high));
  EXPECT_EQ(system->state().names(Role::parameter), std::vector<std::string>{parameter});
  std::set<double> drawn;
  for (std::uint64_t sample = 0; sample < 6; ++sample) {
    const double one = value(scalars_of(*system, {.seed = 4, .sample = sample}), parameter);
    EXPECT_TRUE(one >= low && one <= high) << one;
    EXPECT_EQ(one, value(scalars_of(*system, {.seed = 4, .sample = sample}), parameter));
    drawn.insert(one);
  }
  EXPECT_EQ(drawn.size(), 6U);
  EXPECT_NE(value(scalars_of(*system, {.seed = 4, .attempt = 1}), parameter), *drawn.begin());
}

TEST_P(EveryDrawnParameter, ActsAsTheFixedOneOfItsValueAndLeavesTheFirstFrameAlone) {
  const auto [name, parameter, low, high] = GetParam();
  const Draw draw{.seed = 4, .sample = 2};
  const std::vector<double> times{0, 0.1, 0.3};
  const auto system = system_with(name, range(low, high)), plain = system_with(name, "");
  const double drawn = value(scalars_of(*system, draw), parameter);
  const auto fixed = system_with(name, fmt::format("{} = {:.17g}\n", parameter, drawn));
  const auto frames = tests::simulate(*system, draw, times);
  EXPECT_EQ(frames, tests::simulate(*fixed, draw, times));
  EXPECT_EQ(frames[0], tests::simulate(*plain, draw, times)[0]);
  EXPECT_GT(tests::largest_difference(frames[2], tests::simulate(*plain, draw, times)[2]), 1e-6);
  EXPECT_EQ(plain->state().names(Role::parameter), std::vector<std::string>{});
}

TEST_P(EveryDrawnParameter, IsRefusedInsideOut) {
  const auto [name, parameter, low, high] = GetParam();
  for (const auto& wrong : {range(high, low), fmt::format("{}_range = [1.0]\n", parameter)}) {
    const auto said = testing_support::sentence_of<ConfigError>([&] { system_with(name, wrong); });
    EXPECT_PRED2(testing_support::has, said,
                 fmt::format("{}: {}_range must be two numbers", name, parameter));
  }
}

TEST_P(EveryDrawnParameter, LeavesNoFlowThatAStateAloneWouldTell) {
  const auto [name, parameter, low, high] = GetParam();
  const auto system = system_with(name, range(low, high));
  const auto start = tests::simulate(*system, {}, {0})[0];
  tests::Frames nothing;
  EXPECT_FALSE(system->flow(start, std::vector{0.1}, tests::into(nothing)));
  EXPECT_TRUE(nothing.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Drawn, EveryDrawnParameter,
    testing::Values(Case{"pendulum", "gravity", 0.5, 0.9}, Case{"damped_pendulum", "gravity", 1.5, 2},
                    Case{"damped_pendulum", "damping", 0.3, 0.8}, Case{"duffing", "alpha", 0.2, 0.8},
                    Case{"duffing", "damping", 0.3, 0.5}, Case{"harmonic_oscillator", "frequency", 2, 3},
                    Case{"lotka_volterra", "growth", 0.5, 0.8}, Case{"lotka_volterra", "death", 1.2, 1.5},
                    Case{"diffusion_reaction", "du", 2e-3, 5e-3},
                    Case{"diffusion_reaction", "dv", 6e-3, 1e-2}, Case{"diffusion_reaction", "k", 1e-2, 5e-2},
                    Case{"compressible_flow", "eta", 1e-3, 1e-2},
                    Case{"compressible_flow", "zeta", 1e-3, 1e-2},
                    Case{"advection_diffusion", "velocity_x", -1, 0.5},
                    Case{"advection_diffusion", "velocity_y", -1, 0.2},
                    Case{"advection_diffusion", "diffusivity", 0.02, 0.05},
                    Case{"advection_diffusion_1d", "velocity", -1, 0.5},
                    Case{"advection_diffusion_1d", "diffusivity", 0.02, 0.05}),
    [](const auto& info) { return fmt::format("{}_{}", info.param.system, info.param.parameter); });

TEST(Drawn, OneMoreRangeChangesNoOtherDraw) {
  const auto one = system_with("damped_pendulum", "gravity_range = [0.5, 2.0]");
  const auto two = system_with("damped_pendulum", "gravity_range = [0.5, 2.0]\ndamping_range = [0.0, 0.5]");
  EXPECT_EQ(value(scalars_of(*one, {.sample = 3}), "gravity"),
            value(scalars_of(*two, {.sample = 3}), "gravity"));
  EXPECT_EQ(two->state().names(Role::parameter), (std::vector<std::string>{"damping", "gravity"}));
}

}  // namespace
}  // namespace cvf::systems

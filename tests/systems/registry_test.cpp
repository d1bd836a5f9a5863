// What every system must do, whoever adds it: these tests walk over the registry.
#include "core/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/state_spec.hpp"
#include "support/frames.hpp"
#include "systems/system.hpp"

namespace cvf::systems {
namespace {

class EverySystem : public testing::TestWithParam<std::string> {
 protected:
  const Row& row() const { return find(registry(), GetParam(), "system"); }
  bool is_vector() const { return row().grid.nx == 1 && row().grid.ny == 1; }
  /// Small and not square, so that swapped axes show.
  GridSize small_grid() const { return is_vector() ? GridSize{} : GridSize{row().grid.ny == 1 ? 1 : 16, 24}; }
  std::unique_ptr<System> small_system() const { return row().settings()->build(small_grid()); }
  std::vector<double> first_times() const { return tests::even_times(5, row().spacing); }
};

TEST_P(EverySystem, DrawsTheSameSampleTwiceWithTheSameBits) {
  const Draw draw{.seed = 3, .sample = 7};
  EXPECT_EQ(tests::simulate(*small_system(), draw, first_times()),
            tests::simulate(*small_system(), draw, first_times()));
}

TEST_P(EverySystem, DrawsOtherStatesForOtherSeedsSamplesAndAttempts) {
  const auto system = small_system();
  // Late samples, and many: a system may have few distinct initial states, but not one.
  std::set<std::vector<double>> distinct;
  for (std::uint64_t sample = 0; sample < 12; ++sample) {
    distinct.insert(tests::simulate(*system, {.seed = 0, .sample = sample}, {0})[0]);
  }
  EXPECT_GT(distinct.size(), 1u) << "samples";
  distinct.clear();
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    distinct.insert(tests::simulate(*system, {.seed = seed}, {0})[0]);
  EXPECT_GT(distinct.size(), 1u) << "seeds";
  distinct.clear();
  for (int attempt = 0; attempt < 12; ++attempt) {
    distinct.insert(tests::simulate(*system, {.attempt = attempt}, {0})[0]);
  }
  EXPECT_GT(distinct.size(), 1u) << "attempts";
}

TEST_P(EverySystem, HandsOutEveryWantedFrameInOrderAndFinite) {
  const auto system = small_system();
  std::vector<std::size_t> order;
  const std::size_t size = system->state().frame_size();
  system->simulate({}, first_times(), [&](std::size_t frame, std::span<const double> planes) {
    order.push_back(frame);
    ASSERT_EQ(planes.size(), size);
    for (const double value : planes) ASSERT_TRUE(std::isfinite(value));
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST_P(EverySystem, MovesAfterTimeZero) {
  const auto frames = tests::simulate(*small_system(), {.seed = 1}, first_times());
  EXPECT_GT(tests::largest_difference(frames[0], frames[4]), 1e-4);
}

TEST_P(EverySystem, GivesTheSameStatesWhenOnlySomeTimesAreWanted) {
  const auto system = small_system();
  const auto times = first_times();
  const auto all = tests::simulate(*system, {.seed = 1}, times);
  const auto some = tests::simulate(*system, {.seed = 1}, {times[1], times[4]});
  const std::vector<double> zero(all[1].size(), 0.0);
  EXPECT_LT(tests::rms_difference(all[1], some[0]), 1e-2 * tests::rms_difference(all[1], zero));
  EXPECT_LT(tests::rms_difference(all[4], some[1]), 1e-2 * tests::rms_difference(all[4], zero));
  EXPECT_EQ(tests::simulate(*system, {.seed = 1}, {0})[0], all[0]);
}

TEST_P(EverySystem, ReachesIrregularTimes) {
  const auto system = small_system();
  const double spacing = row().spacing;
  const auto frames = tests::simulate(*system, {.seed = 1}, {0.31 * spacing, spacing, 1.77 * spacing});
  ASSERT_EQ(frames.size(), 3u);
  const auto alone = tests::simulate(*system, {.seed = 1}, {1.77 * spacing});
  const std::vector<double> zero(alone[0].size(), 0.0);
  EXPECT_LT(tests::rms_difference(frames[2], alone[0]), 1e-2 * tests::rms_difference(alone[0], zero));
}

TEST_P(EverySystem, DescribesItsGridAndChannels) {
  const auto system = small_system();
  const StateSpec state = system->state();
  EXPECT_EQ(state.size_along("x"), static_cast<std::size_t>(small_grid().nx));
  EXPECT_EQ(state.size_along("y"), static_cast<std::size_t>(small_grid().ny));
  EXPECT_EQ(state.axes.size(), is_vector() ? 0U : small_grid().ny == 1 ? 1U : 2U);
  for (const auto& axis : state.axes) {
    EXPECT_EQ(axis.coordinates.size(), axis.size);
    EXPECT_TRUE(std::is_sorted(axis.coordinates.begin(), axis.coordinates.end()));
    EXPECT_NE(axis.boundary.low, Boundary::unknown);
    EXPECT_NE(axis.boundary.high, Boundary::unknown);
  }
  const auto channels = state.names();
  EXPECT_EQ(std::set(channels.begin(), channels.end()).size(), channels.size());
  EXPECT_EQ(state.boundary() == "none", is_vector());
}

TEST_P(EverySystem, ReportsTheScalarsThatItNames) {
  const auto system = small_system();
  std::vector<std::string> names;
  for (const auto& [name, value] :
       system->simulate({}, first_times(), [](std::size_t, std::span<const double>) {})) {
    names.push_back(name);
    EXPECT_TRUE(std::isfinite(value)) << name;
  }
  EXPECT_EQ(names, system->scalar_names());
  for (const auto& parameter : system->state().names(Role::parameter))
    EXPECT_NE(std::find(names.begin(), names.end(), parameter), names.end()) << parameter;
}

TEST_P(EverySystem, GivesTheStaticFieldsAndControlsThatItNames) {
  const auto system = small_system();
  const Draw draw{.seed = 3, .sample = 2};
  const auto statics = system->statics(draw), controls = system->controls(draw, first_times());
  EXPECT_EQ(statics.size(), system->state().count(Role::static_field));
  EXPECT_EQ(controls.size(), system->state().count(Role::control));
  for (const auto& field : statics)
    EXPECT_EQ(field.size(), static_cast<std::size_t>(small_grid().nx) * small_grid().ny);
  for (const auto& series : controls) EXPECT_EQ(series.size(), first_times().size());
  EXPECT_EQ(statics, system->statics(draw));
  EXPECT_EQ(controls, system->controls(draw, first_times()));
}

TEST_P(EverySystem, ReadsBackTheOptionsThatItWrites) {
  const auto settings = row().settings();
  const auto describe = [&](config::Section& section) { settings->describe(section); };
  const std::string text = config::write(describe);
  config::Document::from_text(text, "options").read(describe);
  EXPECT_EQ(config::write(describe), text);
  EXPECT_THROW(config::Document::from_text("no_such_key = 1\n", "options").read(describe), Error);
}

TEST_P(EverySystem, StopsWhenTheSinkThrows) {
  const auto refuse = [](std::size_t, std::span<const double>) { throw std::runtime_error("enough"); };
  EXPECT_THROW(small_system()->simulate({}, first_times(), refuse), std::runtime_error);
}

TEST_P(EverySystem, HasSensibleDefaults) {
  EXPECT_GE(row().frames, 2);
  EXPECT_GT(row().spacing, 0);
  EXPECT_FALSE(row().summary.empty());
  EXPECT_NO_THROW(row().settings()->build(row().grid));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySystem, testing::ValuesIn(names(registry())),
                         [](const auto& parameter) { return parameter.param; });

TEST(Registry, HoldsEachNameOnce) {
  const auto all = names(registry());
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

}  // namespace
}  // namespace cvf::systems

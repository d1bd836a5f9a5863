#include "core/state_spec.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cvf {
namespace {

using Names = std::vector<std::string>;
using Sizes = std::vector<std::int64_t>;

TEST(StateSpec, CountsCellsAndValues) {
  const auto box = state_of({"u", "v"}, {{"z", 3}, {"y", 4}, {"x", 5}});
  EXPECT_EQ(box.cells(), 60U);
  EXPECT_EQ(box.frame_size(), 120U);
  EXPECT_EQ(box.grid_text(), "3 x 4 x 5 (z x y x x)");
  EXPECT_EQ(state_of({"a", "b", "c"}).frame_size(), 3U);
}

TEST(StateSpec, LeavesOutLeadingAxesOfOneCell) {
  EXPECT_EQ(state_of({"u"}, {{"y", 1}, {"x", 5}}).axes.size(), 1U);
  EXPECT_TRUE(state_of({"u"}, {{"z", 1}, {"y", 1}, {"x", 1}}).is_vector());
  const auto column = state_of({"u"}, {{"y", 5}, {"x", 1}});
  EXPECT_EQ(column.axes.size(), 2U) << "an axis of one cell behind others keeps its place";
  EXPECT_TRUE(state_of({"u"}, {{"y", 1}, {"x", 5}}).same_grid(state_of({"w"}, {{"x", 5}})));
  EXPECT_FALSE(column.same_grid(state_of({"u"}, {{"x", 5}})));
}

TEST(StateSpec, IsATensorAsNetworksTakeIt) {
  EXPECT_EQ(state_of({"a", "b"}).tensor_sizes(), (Sizes{2}));
  EXPECT_EQ(state_of({"u"}, {{"x", 7}}).tensor_sizes(), (Sizes{1, 1, 7}));
  EXPECT_EQ(state_of({"u", "v"}, {{"y", 3}, {"x", 7}}).tensor_sizes(), (Sizes{2, 3, 7}));
  EXPECT_EQ(state_of({"u"}, {{"z", 2}, {"y", 3}, {"x", 7}}).tensor_sizes(), (Sizes{1, 2, 3, 7}));
}

TEST(StateSpec, KeepsRolesApart) {
  auto state = state_of({"h", "hu"}, {{"x", 4}});
  state.set_names(Role::control, {"wind"}).set_names(Role::parameter, {"g"});
  EXPECT_EQ(state.names(), (Names{"h", "hu"}));
  EXPECT_EQ(state.frame_size(), 8U) << "only channels of the state are values of it";
  state.channels[0].unit = "m";
  state.set_names(Role::state, {"hu", "h"}).set_names(Role::control, {});
  EXPECT_EQ(state.names(), (Names{"hu", "h"}));
  EXPECT_EQ(state.channels[1].unit, "m") << "a channel that stays keeps what is known of it";
  EXPECT_EQ(state.names(Role::parameter), Names{"g"});
  EXPECT_EQ(state.count(Role::control), 0U);
}

TEST(StateSpec, KnowsTheSpacingOfItsCells) {
  const auto state = state_of({"u"}, {{"y", 3}, {"x", 5, {0, 0.4}}});
  EXPECT_DOUBLE_EQ(state.axis("x")->spacing(), 0.1);
  EXPECT_TRUE(std::isnan(state.axis("y")->spacing()));
  EXPECT_EQ(state.axis("z"), nullptr);
}

TEST(StateSpec, SpellsItsBoundary) {
  auto box = state_of({"u"}, {{"z", 2}, {"y", 2}, {"x", 2}});
  EXPECT_EQ(box.boundary(), "unknown");
  ASSERT_TRUE(box.set_boundary("z: wall/outflow, x: periodic"));
  EXPECT_EQ(box.boundary(), "z: wall/outflow, y: unknown, x: periodic");
  EXPECT_FALSE(box.set_boundary("sticky"));
  EXPECT_EQ(box.axes[2].boundary.low, Boundary::periodic) << "a text that does not parse changes nothing";
  EXPECT_EQ(state_of({"u"}).boundary(), "none");
  auto line = state_of({"u"}, {{"x", 8}});
  line.set_boundary("y: wall, x: periodic");
  EXPECT_EQ(line.boundary(), "periodic") << "of the axes that there are";
}

}  // namespace
}  // namespace cvf

#include <array>

#include "systems/shallow_water.hpp"

namespace cvf::systems {
namespace {

using SW = ShallowWater;
constexpr std::array<std::pair<std::string_view, SW::Preset>, 2> presets{
    {{"varied", SW::Preset::varied}, {"pdebench", SW::Preset::pdebench}}};
constexpr std::array<std::pair<std::string_view, SW::DiscEdge>, 2> disc_edges{
    {{"sharp", SW::DiscEdge::sharp}, {"antialiased", SW::DiscEdge::antialiased}}};
constexpr std::array<std::pair<std::string_view, SW::Channels>, 2> channel_sets{
    {{"h", SW::Channels::depth}, {"full", SW::Channels::full}}};

}  // namespace

void SW::Options::apply(Preset wanted) {
  *this = Options{};
  preset = wanted;
  if (wanted == Preset::varied) return;
  disc = DiscEdge::sharp;
  state = Channels::depth;
  centre = {0, 0};
  inner_height = {2, 2};
}

void SW::Options::describe(config::Section& section) {
  const Preset before = preset;
  section.choice<Preset>(
      "preset", preset, presets,
      "what the other keys start from. varied: random centre and height, antialiased disc, all of h, hu, hv, "
      "because "
      "a sharp centred disc on 128 x 128 cells has only 81 initial states and h alone does not determine the "
      "future. "
      "pdebench: that file's draw, radius from NumPy's legacy generator with seed + sample");
  if (preset != before) apply(preset);
  section.choice<DiscEdge>(
      "disc", disc, disc_edges,
      "edge of the disc: sharp tests the cell centre, antialiased takes the area fraction");
  section.choice<Channels>("state", state, channel_sets, "what is stored: h alone, or full = h, hu, hv");
  section.key("radius", &radius, "range [low, high] of the disc's radius", config::above(0));
  section.key("centre", &centre, "range [low, high] of the disc's centre, for x and for y");
  section.key("inner_height", &inner_height, "range [low, high] of the depth inside the disc",
              config::at_least(0));
  section.key("outer_height", &outer_height, "depth outside the disc; 0 is a dry bed", config::at_least(0));
  section.key("bottom_height", &bottom_height,
              "height of the highest hill of a random bottom above its lowest point, from which the other "
              "heights then count; the bottom is a static field. 0: flat",
              config::at_least(0));
  section.key("bottom_length", &bottom_length, "correlation length of the random bottom", config::above(0));
  section.key("g", &g, "gravity", config::above(0));
  section.key("domain", &domain, "[low, high] of both x and y");
  section.key("cfl", &cfl, "dt ((|u|+c)/dx + (|v|+c)/dy) at most", config::between(0.01, 0.95));
}

}  // namespace cvf::systems

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "report/image.hpp"

namespace cvf::report {
namespace {

struct Oklab {
  double lightness, a, b;
};

constexpr std::array<Oklab, 6> sequential{{{0.20, 0.02, -0.09},
                                           {0.36, 0.03, -0.16},
                                           {0.52, -0.06, -0.10},
                                           {0.67, -0.11, 0.00},
                                           {0.82, -0.10, 0.12},
                                           {0.96, -0.01, 0.15}}};
constexpr std::array<Oklab, 5> diverging{
    {{0.38, -0.01, -0.16}, {0.68, -0.04, -0.10}, {0.97, 0.00, 0.00}, {0.70, 0.13, 0.08}, {0.42, 0.14, 0.08}}};

std::uint8_t channel(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  const double encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

// Oklab -> cone responses -> linear sRGB (Ottosson 2020).
Colour to_colour(const Oklab& c) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::vector<Colour> table_of(std::span<const Oklab> anchors) {
  std::vector<Colour> table;
  for (int i = 0; i < 256; ++i) {
    const double place = i / 255.0 * static_cast<double>(anchors.size() - 1);
    const auto left = std::min(anchors.size() - 2, static_cast<std::size_t>(place));
    const double share = place - static_cast<double>(left);
    const Oklab &p = anchors[left], &q = anchors[left + 1];
    table.push_back(to_colour({std::lerp(p.lightness, q.lightness, share), std::lerp(p.a, q.a, share),
                               std::lerp(p.b, q.b, share)}));
  }
  return table;
}

}  // namespace

Colour colour_of(Palette palette, double share) {
  static const std::vector<Colour> rising = table_of(sequential), two_sided = table_of(diverging);
  if (std::isnan(share)) return magenta;
  const auto index = static_cast<std::size_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
  return palette == Palette::sequential ? rising[index] : two_sided[index];
}

Scale scale_for(double low, double high) {
  if (!(low < high)) return {low - 0.5, low + 0.5, Palette::sequential};  // a constant sits in the middle
  // Both signs in earnest: zero deserves the neutral colour. A small overshoot below zero does not count.
  if (low < 0 && high > 0 && -low > 0.1 * high && high > -0.1 * low) {
    const double reach = std::max(-low, high);
    return {-reach, reach, Palette::diverging};
  }
  return {low, high, Palette::sequential};
}

}  // namespace cvf::report

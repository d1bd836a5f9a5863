// Shallow water: a column of water in a disc collapses (radial dam break), over a flat bottom, b = 0, or over
// hills of a random height b, which then is a static field of the sample.
//
//   h_t + (hu)_x + (hv)_y = 0
//   (hu)_t + (hu^2 + g h^2/2)_x + (huv)_y = -g h b_x
//   (hv)_t + (huv)_x + (hv^2 + g h^2/2)_y = -g h b_y
//
// Unsplit MUSCL-Hancock finite volumes with an HLL-type flux (simd/shallow.cpp); edges let waves out.
#pragma once

#include "systems/finite_volume.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

class ShallowWater : public System {
 public:
  enum class Preset { varied, pdebench };
  enum class DiscEdge { sharp, antialiased };
  enum class Channels { depth, full };

  struct Options {
    Preset preset = Preset::varied;
    DiscEdge disc = DiscEdge::antialiased;
    Channels state = Channels::full;
    std::vector<double> radius = {0.3, 0.7}, centre = {-1, 1}, inner_height = {1.5, 2.5};
    double outer_height = 1, g = 1, cfl = 0.9;
    double bottom_height = 0, bottom_length = 0.5;
    std::vector<double> domain = {-2.5, 2.5};

    void describe(config::Section& section);
    void apply(Preset wanted);
  };

  /// The dam of one sample.
  struct Dam {
    double radius, centre_x, centre_y, inner_height;
  };

  ShallowWater(GridSize grid, Options options);

  StateSpec state() const override;
  std::vector<std::string> scalar_names() const override;
  std::vector<std::vector<float>> statics(const Draw& draw) const override;
  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override;

  Dam draw_dam(const Draw& draw) const;
  std::vector<double> initial_state(const Dam& dam) const;  // h, u, v over a flat bottom: [3][ny][nx]
  FiniteVolume solver() const;

 private:
  std::vector<std::string> channels() const;
  bool has_bottom() const { return options_.bottom_height > 0; }
  std::vector<float> draw_bottom(const Draw& draw) const;  // [ny][nx], from 0 to bottom_height
  double share_inside(const Dam& dam, double x, double y) const;
  void write_frame(const FiniteVolume& solver, std::span<double> planes) const;

  GridSize grid_;
  Options options_;
  double dx_, dy_;
};

}  // namespace cvf::systems

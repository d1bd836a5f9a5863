// Winograd's convolution: 2 x 2 outputs of a 3 x 3 kernel for 16 products instead of 36. Along one axis
//   y = A^T ((G g) * (B^T d)),  B^T d = (d0-d2, d1+d2, d2-d1, d1-d3),  A^T m = (m0+m1+m2, m1-m2-m3),
//   G g = (g0, (g0+g1+g2)/2, (g0-g1+g2)/2, g2),
// and along the other one likewise. The 16 places of a transformed tile are its positions: at each of them,
// the channels of many tiles are one product of panels. With a dilation, the cells of a tile lie so far
// apart.
#pragma once

#include "kernels/cpu/lines.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

constexpr int most_tiles = 64;  // that are worked on at a time

/// Fewer of many channels: their values at all positions stay in the second-level cache.
CVF_INLINE int tiles_at_a_time(const ConvPlan& plan) {
  const int fitting = 128 / plan.dim_panels;
  return fitting > most_tiles ? most_tiles : fitting < 8 ? 8 : fitting;
}

/// The 4 x 4 cells that a tile reads: lines, and cells a dilation apart from x on, which may lie in the halo.
/// The four in the middle are its outputs.
struct TilePlace {
  int line[4], x;
};

/// `count` tiles of a grid that holds a whole number of them.
struct Tiles {
  int dilation, count;
  TilePlace place[most_tiles];

  Tiles(const ConvPlan& plan, const TapMap& map, int begin, int end)
      : dilation(map.dilation), count(end - begin) {
    const int per_row = plan.columns / 2;
    for (int i = 0; i < count; ++i) {
      const int y = spread((begin + i) / per_row), below = y + dilation;
      place[i] = {{map.lines[y], y, below, map.lines[2 * plan.lines + below]},
                  spread((begin + i) % per_row) - dilation};
    }
  }

  CVF_INLINE int output_line(int tile, int k) const { return place[tile].line[1 + k / 2]; }
  CVF_INLINE int output_x(int tile, int k) const { return place[tile].x + (1 + k % 2) * dilation; }

 private:
  // Of pairs that lie a dilation apart: where the first of each stands.
  int spread(int pair) const { return pair + pair / dilation * dilation; }
};
constexpr int outputs_of_a_tile = 4;

/// Values of tiles: for each position a matrix whose rows are the tiles.
struct Positions {
  float* data;
  long stride;  // floats between panels
  int panels;

  Positions(const ConvPlan& plan, float* values)
      : data(values), stride((tiles_at_a_time(plan) | 1) * panel), panels(plan.dim_panels) {}
  static long floats(const ConvPlan& plan) {  // none where no block has tiles
    bool tiled = false;
    for (int i = 0; i < plan.blocks; ++i) tiled = tiled || plan.block[i].tiled;
    return !tiled ? 0 : winograd_positions * Positions(plan, nullptr).stride * plan.dim_panels;
  }
  CVF_INLINE Matrix at(int position) const { return {data + position * panels * stride, stride}; }
};

struct Four {
  Vec v[4];
};
struct ToPositions {  // B^T d
  CVF_INLINE Four operator()(const Four& d) const {
    return {d.v[0] - d.v[2], d.v[1] + d.v[2], d.v[2] - d.v[1], d.v[1] - d.v[3]};
  }
};
struct ToInputs {  // B m, for gradients
  CVF_INLINE Four operator()(const Four& m) const {
    return {m.v[0], m.v[1] - m.v[2] + m.v[3], m.v[1] + m.v[2] - m.v[0], splat(0) - m.v[3]};
  }
};
CVF_INLINE void positions_to_outputs(const Four& m, Vec* y) {  // A^T m
  y[0] = m.v[0] + m.v[1] + m.v[2];
  y[1] = m.v[1] - m.v[2] - m.v[3];
}
CVF_INLINE Four outputs_to_positions(Vec first, Vec second) {  // A y, for gradients
  return {first, first + second, first - second, splat(0) - second};
}

/// put(n, k, value): the 4 x 4 values from(line n, column k) transformed along both axes
template <class Transform, class From, class Put>
CVF_INLINE void transform_tile(const Transform& transform, const From& from, const Put& put) {
  Four columns[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) columns[k] = transform({from(0, k), from(1, k), from(2, k), from(3, k)});
#pragma GCC unroll 4
  for (int n = 0; n < 4; ++n) {
    const Four line = transform({columns[0].v[n], columns[1].v[n], columns[2].v[n], columns[3].v[n]});
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) put(n, k, line.v[k]);
  }
}

CVF_KERNEL inline void read_tiles(const Tiles& tiles, const Lines& from, const Positions& to) {
  for (int p = 0; p < to.panels; ++p) {
    for (int t = 0; t < tiles.count; ++t) {
      const TilePlace& place = tiles.place[t];
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        transform_tile(
            ToPositions{},
            [&](int n, int k) {
              return load(from.at(p, place.line[n], place.x + k * tiles.dilation) + i * lanes);
            },
            [&](int n, int k, Vec value) { store(to.at(4 * n + k).at(p, t) + i * lanes, value); });
      }
    }
  }
}

/// One vector of channels of a tile's four outputs.
CVF_INLINE void outputs_of(const Positions& from, int p, int tile, int i, Vec* y) {
  Four lines[2];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    Four values;
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n) values.v[n] = load(from.at(4 * n + k).at(p, tile) + i * lanes);
    Vec two[2];
    positions_to_outputs(values, two);
    lines[0].v[k] = two[0];
    lines[1].v[k] = two[1];
  }
  positions_to_outputs(lines[0], y);
  positions_to_outputs(lines[1], y + 2);
}

/// The gradients of the outputs, to all positions.
CVF_KERNEL inline void read_output_gradients(const Tiles& tiles, const Lines& from, const Positions& to) {
  for (int p = 0; p < to.panels; ++p) {
    for (int t = 0; t < tiles.count; ++t) {
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        const auto value = [&](int k) {
          return load(from.at(p, tiles.output_line(t, k), tiles.output_x(t, k)) + i * lanes);
        };
        const Four left = outputs_to_positions(value(0), value(2)),
                   right = outputs_to_positions(value(1), value(3));
#pragma GCC unroll 4
        for (int n = 0; n < 4; ++n) {
          const Four line = outputs_to_positions(left.v[n], right.v[n]);
#pragma GCC unroll 4
          for (int k = 0; k < 4; ++k) store(to.at(4 * n + k).at(p, t) + i * lanes, line.v[k]);
        }
      }
    }
  }
}

/// Adds the gradients at all positions to those of the cells that the tiles read.
CVF_KERNEL inline void add_input_gradients(const ConvPlan& plan, const TapMap& map, const Tiles& tiles,
                                           const Positions& from, const Matrix& to) {
  const auto home = [&](int x) {  // the cell that stands there
    return x < 0 ? map.low[x + map.dilation] : x >= plan.columns ? map.high[x - plan.columns] : x;
  };
  for (int t = 0; t < tiles.count; ++t) {
    const TilePlace& place = tiles.place[t];
    int x[4];
    for (int k = 0; k < 4; ++k) x[k] = home(place.x + k * map.dilation);
    for (int p = 0; p < from.panels; ++p) {
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
        transform_tile(
            ToInputs{}, [&](int n, int k) { return load(from.at(4 * n + k).at(p, t) + i * lanes); },
            [&](int n, int k, Vec value) {
              float* sum = to.at(p, place.line[n] * plan.columns + x[k]) + i * lanes;
              store(sum, load(sum) + value);
            });
      }
    }
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

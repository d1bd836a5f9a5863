// Convolutions over the lines of a grid as products of panels: the pieces that forward and backward share.
#pragma once

#include "kernels/cpu/conv_plan.hpp"
#include "kernels/cpu/rows.hpp"
#include "kernels/cpu/team.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

/// A panel matrix of cells whose lines have `halo` more cells on both sides.
struct Lines {
  float* data;
  long stride;  // floats between panels
  int pitch, halo;
  CVF_INLINE float* at(int p, int line, int x) const {
    return data + p * stride + (static_cast<long>(line) * pitch + x + halo) * panel;
  }
};

CVF_INLINE long lines_stride(const ConvPlan& plan, int halo) {
  return (static_cast<long>(plan.lines) * (plan.columns + 2 * halo) | 1) * panel;
}
CVF_INLINE Lines with_halo(const ConvPlan& plan, float* data, int halo) {
  return {data, lines_stride(plan, halo), plan.columns + 2 * halo, halo};
}

/// tile += x * w for `rows` of a matrix with `panels` panels
template <int Rows, int Panels>
CVF_INLINE void add_product(WideTile<Rows, Panels>& tile, const float* x, long x_stride, int panels,
                            const float* w, long w_stride) {
  for (int p = 0; p < panels; ++p)
    multiply<panel, 1>(tile, x + p * x_stride, w + p * panel * panel, w_stride, panel);
}

/// Fills both ends of the lines [begin, end) from the cells that the boundary puts there.
CVF_KERNEL inline void fill_halo(const Lines& m, int panels, const TapMap& map, int columns, int begin,
                                 int end) {
  for (int p = 0; p < panels; ++p) {
    for (int line = begin; line < end; ++line) {
      for (int i = 0; i < map.dilation; ++i) {
        __builtin_memcpy(m.at(p, line, i - map.dilation), m.at(p, line, map.low[i]), panel * sizeof(float));
        __builtin_memcpy(m.at(p, line, columns + i), m.at(p, line, map.high[i]), panel * sizeof(float));
      }
    }
  }
}

/// shift, 1 + scale and 1 + gate of a block, padded to whole panels with zeros, in `room` (3 padded rows).
inline Modulation take_film(const ConvPlan& plan, const float* from, float* room) {
  const int padded = plan.dim_panels * panel;
  for (int part = 0; part < 3; ++part) {
    float* to = room + part * padded;
    for (int c = 0; c < plan.dim; ++c) to[c] = from[part * plan.dim + c] + (part == 0 ? 0.0f : 1.0f);
    for (int c = plan.dim; c < padded; ++c) to[c] = 0;
  }
  return {room, room + padded, room + 2 * padded};
}

/// work(place in the cells' planes, place in the state, pixels beside each other a patch apart) for the lines
/// [begin, end)
template <class Work>
CVF_INLINE void for_state_lines(const ConvPlan& plan, int begin, int end, Work&& work) {
  for (int c = 0; c < plan.channels; ++c) {
    for (int py = 0; py < plan.patch_y; ++py) {
      for (int px = 0; px < plan.patch_x; ++px) {
        const long plane = (static_cast<long>(c) * plan.patch_y + py) * plan.patch_x + px;
        for (int line = begin; line < end; ++line) {
          const long pixel =
              (static_cast<long>(c) * plan.height + line * plan.patch_y + py) * plan.width + px;
          work(plane * plan.cells + static_cast<long>(line) * plan.columns, pixel);
        }
      }
    }
  }
}

inline void to_planes(const ConvPlan& plan, const float* state, int begin, int end, float* planes) {
  for_state_lines(plan, begin, end, [&](long place, long pixel) {
    for (int x = 0; x < plan.columns; ++x)
      planes[place + x] = state[pixel + static_cast<long>(x) * plan.patch_x];
  });
}

inline void from_planes(const ConvPlan& plan, const float* planes, int begin, int end, float* state) {
  for_state_lines(plan, begin, end, [&](long place, long pixel) {
    for (int x = 0; x < plan.columns; ++x)
      state[pixel + static_cast<long>(x) * plan.patch_x] = planes[place + x];
  });
}

/// columns[cell][tap*inputs + c] = planes[c][neighbour], for the cells [begin, end); the rows begin at
/// `columns`.
inline void gather_inputs(const ConvPlan& plan, const float* planes, int begin, int end, Matrix columns) {
  const int used = plan.taps * plan.inputs;
  for (int cell = begin; cell < end; ++cell) {
    int column = 0;
    for (int t = 0; t < plan.taps; ++t) {
      const int from = plan.neighbours[static_cast<long>(t) * plan.cells + cell];
      for (int c = 0; c < plan.inputs; ++c, ++column) {
        columns.at(column / panel, cell - begin)[column % panel] =
            planes[static_cast<long>(c) * plan.cells + from];
      }
    }
    for (column = used; column < plan.lift.in_panels * panel; ++column)
      columns.at(column / panel, cell - begin)[column % panel] = 0;
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

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

/// shift, 1 + scale and 1 + gate of a block, padded to whole panels with zeros, in `workspace` (3 padded
/// rows).
inline Modulation take_film(const ConvPlan& plan, const float* from, float* workspace) {
  const int padded = plan.dim_panels * panel;
  for (int part = 0; part < 3; ++part) {
    float* to = workspace + part * padded;
    for (int c = 0; c < plan.dim; ++c) to[c] = from[part * plan.dim + c] + (part == 0 ? 0.0f : 1.0f);
    for (int c = plan.dim; c < padded; ++c) to[c] = 0;
  }
  return {workspace, workspace + padded, workspace + 2 * padded};
}

/// The values of the cells, channel by channel, in lines with one more cell on both sides.
struct Planes {
  float* data;
  int lines, pitch;
  Planes(const ConvPlan& plan, float* values) : data(values), lines(plan.lines), pitch(plan.columns + 2) {}
  static long floats(const ConvPlan& plan) {
    return static_cast<long>(plan.inputs) * plan.lines * (plan.columns + 2);
  }
  CVF_INLINE float* at(int c, int line, int x) const {
    return data + (static_cast<long>(c) * lines + line) * pitch + x + 1;
  }
};

/// work(values of a line of cells, the same pixels in the state, a patch apart) for the lines [begin, end)
template <class State, class Work>
CVF_INLINE void for_state_lines(const ConvPlan& plan, State* state, const Planes& planes, int begin, int end,
                                Work&& work) {
  for (int c = 0; c < plan.channels; ++c) {
    for (int py = 0; py < plan.patch_y; ++py) {
      for (int px = 0; px < plan.patch_x; ++px) {
        const int plane = (c * plan.patch_y + py) * plan.patch_x + px;
        for (int line = begin; line < end; ++line) {
          work(planes.at(plane, line, 0),
               state + (static_cast<long>(c) * plan.height + line * plan.patch_y + py) * plan.width + px);
        }
      }
    }
  }
}

inline void to_planes(const ConvPlan& plan, const float* state, int begin, int end, const Planes& planes) {
  for_state_lines(plan, state, planes, begin, end, [&](float* cells, const float* pixels) {
    for (int x = 0; x < plan.columns; ++x) cells[x] = pixels[static_cast<long>(x) * plan.patch_x];
    cells[-1] = cells[plan.near.low[0]];
    cells[plan.columns] = cells[plan.near.high[0]];
  });
}

inline void from_planes(const ConvPlan& plan, const Planes& planes, int begin, int end, float* state) {
  for_state_lines(plan, state, planes, begin, end, [&](const float* cells, float* pixels) {
    for (int x = 0; x < plan.columns; ++x) pixels[static_cast<long>(x) * plan.patch_x] = cells[x];
  });
}

/// work(column, channel, the line that the tap reads, its shift along x) for every tap of lift and output on
/// a line
template <class Work>
CVF_INLINE void for_near_taps(const ConvPlan& plan, int line, Work&& work) {
  int column = 0;
  for (int t = 0; t < plan.taps; ++t) {
    const int source = plan.near.lines[t / 3 * plan.lines + line];
    for (int c = 0; c < plan.inputs; ++c, ++column) work(column, c, source, t % 3 - 1);
  }
}

/// rows[i][tap*inputs + c] = the value that the tap reads, for `count` cells of a line from x on
inline void gather_inputs(const ConvPlan& plan, const Planes& planes, int line, int x, int count, Matrix rows,
                          int first_row) {
  for_near_taps(plan, line, [&](int column, int c, int source, int shift) {
    const float* from = planes.at(c, source, x + shift);
    float* to = rows.at(column / panel, first_row) + column % panel;
    for (int i = 0; i < count; ++i) to[i * panel] = from[i];
  });
}

/// The columns of lift's rows that no tap fills.
inline void clear_padding(const ConvPlan& plan, int count, Matrix rows) {
  for (int column = plan.taps * plan.inputs; column < plan.lift.in_panels * panel; ++column) {
    float* to = rows.at(column / panel, 0) + column % panel;
    for (int i = 0; i < count; ++i) to[i * panel] = 0;
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

// Rows that each have a modulation of their own: the norm, the gate and their gradients.
#pragma once

#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/layers.hpp"
#include "kernels/cpu/mlp_plan.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

inline Matrix take_matrix(Arena& arena, int panels) {
  return {arena.take(panels * mlp_stride), mlp_stride};
}

/// A part of the modulation (or of its gradient) of all rows, as panels; step 0: one row for all.
struct RowPart {
  float* data;
  int step;  // floats
  CVF_INLINE float* at(int p, int row) const { return data + p * mlp_stride + row * step; }
};

struct RowModulation {
  RowPart shift, scale, gate;  // scale: 1 + scale

  static RowModulation of(Arena& arena, int panels, bool one_for_all) {
    const auto part = [&] { return RowPart{arena.take(panels * mlp_stride), one_for_all ? 0 : panel}; };
    const RowPart shift = part(), scale = part(), gate = part();
    return {shift, scale, gate};
  }
};

/// Reads shift, scale and, of a block, gate.
inline void read_modulation(const MlpPlan& plan, const float* from, long step, int rows, bool gated,
                            const RowModulation& to) {
  const int count = step == 0 ? 1 : rows;
  to_panels(from, step, 0, count, plan.dim, to.shift.data, mlp_stride);
  to_panels(from + plan.dim, step, 0, count, plan.dim, to.scale.data, mlp_stride);
  if (gated) to_panels(from + 2l * plan.dim, step, 0, count, plan.dim, to.gate.data, mlp_stride);
  for (int p = 0; p < plan.dim_panels; ++p) {
    float* scale = to.scale.data + p * mlp_stride;
    for (int i = 0; i < count * panel; i += lanes) store(scale + i, load(scale + i) + splat(1));
  }
}

/// out = LN(x)*(1+scale) + shift
CVF_KERNEL inline void modulate_rows(ConstMatrix x, int panels, const float* statistics,
                                     const RowModulation& m, int rows, Matrix out) {
  for (int p = 0; p < panels; ++p) {
    for (int r = 0; r < rows; ++r) {
      const Vec mean = splat(statistics[2 * r]), factor = splat(statistics[2 * r + 1]);
      for (int i = 0; i < panel; i += lanes) {
        const Vec normal = (load(x.at(p, r) + i) - mean) * factor;
        store(out.at(p, r) + i, fma(normal, load(m.scale.at(p, r) + i), load(m.shift.at(p, r) + i)));
      }
    }
  }
}

/// dx += the gradient through LN(x)*(1+scale)+shift, that of shift and scale is added to `d`; see
/// modulate_backward.
CVF_KERNEL inline void modulate_rows_backward(ConstMatrix x, int panels, int dim, const float* statistics,
                                              const RowModulation& m, ConstMatrix du, int rows, Matrix dx,
                                              const RowModulation& d) {
  const float part = 1.0f / static_cast<float>(dim);
  for (int r = 0; r < rows; ++r) {
    const Vec mean = splat(statistics[2 * r]), factor = splat(statistics[2 * r + 1]);
    Vec total = splat(0), along = splat(0);
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < panel; i += lanes) {
        const Vec u = load(du.at(p, r) + i), g = u * load(m.scale.at(p, r) + i);
        const Vec normal = (load(x.at(p, r) + i) - mean) * factor;
        total = total + g;
        along = fma(g, normal, along);
        float *d_shift = d.shift.at(p, r) + i, *d_scale = d.scale.at(p, r) + i;
        store(d_shift, load(d_shift) + u);
        store(d_scale, fma(u, normal, load(d_scale)));
      }
    }
    const Vec offset = splat(-sum(total) * part), slope = splat(-sum(along) * part);
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < panel; i += lanes) {
        const Vec g = load(du.at(p, r) + i) * load(m.scale.at(p, r) + i);
        const Vec normal = (load(x.at(p, r) + i) - mean) * factor;
        float* out = dx.at(p, r) + i;
        store(out, fma(factor, fma(normal, slope, g + offset), load(out)));
      }
    }
  }
}

/// out = x + gate * branch with the branch x*w + bias, which is kept when asked
struct RowGatedResidual {
  const float* bias;
  RowPart gate;
  ConstMatrix x;
  Matrix branch, out;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    tile.add_row(bias + j * panel);
    if (branch.data != nullptr) tile.write(branch.at(j, row));
    for (int r = 0; r < Rows; ++r) {
      for (int i = 0; i < vectors; ++i) {
        const Vec before = load(x.at(j, row + r) + i * lanes), g = load(gate.at(j, row + r) + i * lanes);
        store(out.at(j, row + r) + i * lanes, fma(tile.v[r][i], g, before));
      }
    }
  }
};

/// d_branch = gate * dx; the gate's own gradient is added to d_gate.
CVF_KERNEL inline void gate_rows_backward(ConstMatrix branch, int panels, RowPart gate, ConstMatrix dx,
                                          int rows, Matrix d_branch, RowPart d_gate) {
  for (int p = 0; p < panels; ++p) {
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < panel; i += lanes) {
        const Vec d = load(dx.at(p, r) + i);
        float* to = d_gate.at(p, r) + i;
        store(d_branch.at(p, r) + i, d * load(gate.at(p, r) + i));
        store(to, fma(d, load(branch.at(p, r) + i), load(to)));
      }
    }
  }
}

struct KeptMlpBlock {
  Matrix x, hidden, branch;
  float* statistics;
};

/// Where the values of a block lie; the last x and its statistics come as those of a block behind the last.
inline KeptMlpBlock kept_mlp_block(const MlpPlan& plan, float* kept, int block) {
  Arena arena{kept == nullptr ? nullptr : kept + block * plan.kept_block};
  const Matrix x = take_matrix(arena, plan.dim_panels);
  float* statistics = arena.take(mlp_statistics);
  const Matrix hidden = take_matrix(arena, plan.inner_panels), branch = take_matrix(arena, plan.dim_panels);
  return {x, hidden, branch, statistics};
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

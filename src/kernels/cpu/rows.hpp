// Passes over rows of tokens: modulated layer norm and its backward, activations.
#pragma once

#include "kernels/cpu/linear.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

/// shift, 1 + scale and gate of one half of a block, padded to whole panels with zeros.
struct Modulation {
  const float *shift, *scale, *gate;
};

/// Mean and 1/deviation of each row: statistics[2*row], [2*row+1].
CVF_KERNEL inline void row_statistics(ConstMatrix x, int panels, int dim, int begin, int end,
                                      float* statistics) {
  const float padding = static_cast<float>(panels * panel - dim), count = static_cast<float>(dim);
  for (int r = begin; r < end; ++r) {
    Vec total = splat(0), squares = splat(0);
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < vectors; ++i) total = total + load(x.at(p, r) + i * lanes);
    }
    const float mean = sum(total) / count;
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < vectors; ++i) {
        const Vec d = load(x.at(p, r) + i * lanes) - splat(mean);
        squares = fma(d, d, squares);
      }
    }
    // padded columns are 0 and have added mean^2 each
    const float variance = (sum(squares) - padding * mean * mean) / count;
    statistics[2 * r] = mean;
    statistics[2 * r + 1] = 1.0f / __builtin_sqrtf((variance > 0 ? variance : 0) + 1e-6f);
  }
}

/// out row (r - begin + first) = LN(x)*(1+scale) + shift of the rows [begin, end)
CVF_KERNEL inline void modulate(ConstMatrix x, int panels, const float* statistics, const Modulation& m,
                                int begin, int end, Matrix out, int first) {
  for (int p = 0; p < panels; ++p) {
    for (int r = begin; r < end; ++r) {
      const Vec mean = splat(statistics[2 * r]), factor = splat(statistics[2 * r + 1]);
      for (int i = 0; i < vectors; ++i) {
        const int c = p * panel + i * lanes;
        const Vec normal = (load(x.at(p, r) + i * lanes) - mean) * factor;
        store(out.at(p, r - begin + first) + i * lanes, fma(normal, load(m.scale + c), load(m.shift + c)));
      }
    }
  }
}

/// dx += the gradient through LN(x)*(1+scale)+shift; d_shift and d_scale are added to.
/// With g = du*(1+scale) and n = LN(x): dx = (g - mean(g) - n*mean(g*n)) / deviation.
CVF_KERNEL inline void modulate_backward(ConstMatrix x, int panels, int dim, const float* statistics,
                                         const Modulation& m, ConstMatrix du, int begin, int end, Matrix dx,
                                         float* d_shift, float* d_scale) {
  const float part = 1.0f / static_cast<float>(dim);
  for (int r = begin; r < end; ++r) {
    const Vec mean = splat(statistics[2 * r]), factor = splat(statistics[2 * r + 1]);
    Vec total = splat(0), along = splat(0);
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < vectors; ++i) {
        const int c = p * panel + i * lanes;
        const Vec u = load(du.at(p, r) + i * lanes), g = u * load(m.scale + c);
        const Vec normal = (load(x.at(p, r) + i * lanes) - mean) * factor;
        total = total + g;
        along = fma(g, normal, along);
        store(d_shift + c, load(d_shift + c) + u);
        store(d_scale + c, fma(u, normal, load(d_scale + c)));
      }
    }
    const Vec offset = splat(-sum(total) * part), slope = splat(-sum(along) * part);
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < vectors; ++i) {
        const int c = p * panel + i * lanes;
        const Vec g = load(du.at(p, r) + i * lanes) * load(m.scale + c);
        const Vec normal = (load(x.at(p, r) + i * lanes) - mean) * factor;
        float* out = dx.at(p, r) + i * lanes;
        store(out, fma(factor, fma(normal, slope, g + offset), load(out)));
      }
    }
  }
}

/// out = x * factor, the factor by column
CVF_KERNEL inline void scale_columns(ConstMatrix x, int panels, const float* factor, int begin, int end,
                                     Matrix out) {
  for (int p = 0; p < panels; ++p) {
    for (int r = begin; r < end; ++r) {
      for (int i = 0; i < vectors; ++i) {
        store(out.at(p, r) + i * lanes, load(x.at(p, r) + i * lanes) * load(factor + p * panel + i * lanes));
      }
    }
  }
}

/// s of an activation h*s, see Activation.
CVF_INLINE Vec share_of(const Activation& f, Vec h) {
  const Vec z = h * fma(h * h, splat(-f.third), splat(-f.first));  // -z
  return inverse(splat(1) + exp2(z));
}

/// d(h*s)/dh = s + h s (1-s) ln(2) dz/dh
CVF_INLINE Vec slope_of(const Activation& f, Vec h, Vec s) {
  constexpr float ln2 = 0.693147181f;
  const Vec dz = fma(h * h, splat(3 * ln2 * f.third), splat(ln2 * f.first));  // ln(2) dz/dh
  return fma(h * s * (splat(1) - s), dz, s);
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

// A linear layer for a few vectors: every weight is read once, as it lies in the library's matrix.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

/// out[b*out_step] = w . x[b] + bias for `Count` vectors x of `in` values. Whatever Count is, a vector's sum
/// is made in the same order.
template <int Count>
CVF_KERNEL void dots_of_row(const float* w, int in, const float* x, float bias, float* out, long out_step) {
  Vec total[Count];
  for (int b = 0; b < Count; ++b) total[b] = splat(0);
  int k = 0;
  for (; k + lanes <= in; k += lanes) {
    const Vec weight = load(w + k);
#pragma GCC unroll 4
    for (int b = 0; b < Count; ++b) total[b] = fma(weight, load(x + static_cast<long>(b) * in + k), total[b]);
  }
  for (int b = 0; b < Count; ++b) {
    float all = sum(total[b]) + bias;
    for (int i = k; i < in; ++i) all += w[i] * x[static_cast<long>(b) * in + i];
    out[b * out_step] = all;
  }
}

}  // namespace

void dots(const float* w, const float* bias, int in, int rows, const float* x, int count, float* out,
          long out_step) {
  for (int r = 0; r < rows; ++r) {
    const float* row = w + static_cast<long>(r) * in;
    int b = 0;
    for (; b + 4 <= count; b += 4) {
      dots_of_row<4>(row, in, x + static_cast<long>(b) * in, bias[r], out + b * out_step + r, out_step);
    }
    for (; b < count; ++b) {
      dots_of_row<1>(row, in, x + static_cast<long>(b) * in, bias[r], out + b * out_step + r, out_step);
    }
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

// A linear layer for many vectors, on panels.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/gradients.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

/// out = the product + bias, as rows of the library's matrix
struct ToRows {
  const float* bias;  // padded to whole panels; null: none
  float* out;
  long step;
  int columns;
  template <int Rows>
  CVF_INLINE void operator()(Tile<Rows>& tile, int row, int j) const {
    if (bias != nullptr) tile.add_row(bias + j * panel);
    const int count = columns - j * panel;
    for (int r = 0; r < Rows; ++r) {
      float* to = out + (row + r) * step + j * panel;
      if (count >= panel) {
        for (int i = 0; i < vectors; ++i) store(to + i * lanes, tile.v[r][i]);
      } else {
        float values[panel];
        for (int i = 0; i < vectors; ++i) store(values + i * lanes, tile.v[r][i]);
        for (int c = 0; c < count; ++c) to[c] = values[c];
      }
    }
  }
};

}  // namespace

void to_panels(const float* from, long from_step, int begin, int end, int columns, float* to, long stride) {
  for (int p = 0; p * panel < columns; ++p) {
    const int count = columns - p * panel < panel ? columns - p * panel : panel;
    for (int r = begin; r < end; ++r) {
      float* row = to + p * stride + static_cast<long>(r) * panel;
      const float* source = from + r * from_step + p * panel;
      if (count == panel) {
        for (int i = 0; i < panel; i += lanes) store(row + i, load(source + i));
      } else {
        for (int c = 0; c < panel; ++c) row[c] = c < count ? source[c] : 0.0f;
      }
    }
  }
}

void dense(const float* x, long stride, int in_panels, const float* w, const float* bias, int out, int begin,
           int end, float* to, long to_step) {
  product(ConstMatrix{x, stride}, in_panels, w, (out + panel - 1) / panel, begin, end,
          ToRows{bias, to, to_step, out});
}

void dense_gradient(const float* x, const float* y, long stride, int in_panels, int begin, int end, int rows,
                    float* dw, float* dbias) {
  outer_product(ConstMatrix{x, stride}, in_panels, ConstMatrix{y, stride}, begin, end, rows, true,
                AddTo{dw, static_cast<long>(in_panels) * panel * panel});
  column_sums(ConstMatrix{y, stride}, begin, end, rows, true, dbias);
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

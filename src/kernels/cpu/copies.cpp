// Between the library's matrices and panels, and sums.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

void transpose(const float* from, long from_step, int rows, int columns, float* to, long to_step) {
  const int whole_rows = rows / 8 * 8, whole_columns = columns / 8 * 8;
  for (int c = 0; c < whole_columns; c += 8) {
    for (int r = 0; r < whole_rows; r += 8)
      transpose_eight(from + r * from_step + c, from_step, to + c * to_step + r, to_step, 1);
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = r < whole_rows ? whole_columns : 0; c < columns; ++c)
      to[c * to_step + r] = from[r * from_step + c];
  }
}

void add(const float* from, long count, float* to) {
  long i = 0;
  for (; i + lanes <= count; i += lanes) store(to + i, load(to + i) + load(from + i));
  for (; i < count; ++i) to[i] += from[i];
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

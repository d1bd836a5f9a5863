// A linear layer on our own products, in plain memory.
#pragma once

#include <cstdint>

#include "kernels/memory.hpp"
#include "kernels/packing.hpp"

namespace cvf::kernels {

/// Rows of plain memory, as panels.
struct Panels {
  Panels(std::int64_t row_count, std::int64_t column_count);
  void fill(const float* from, int begin, int end);  // the rows [begin, end) of a matrix [rows,columns]

  int rows, columns;
  long stride;
  Buffer values;
};

/// y[r*y_step + o] = x[r] w[o] + bias[o] for the packed columns w of `out` outputs; bias may be null.
void product_of(const Panels& x, const float* w, const float* bias, std::int64_t out, float* y, long y_step,
                int threads);

class DenseLayer {
 public:
  DenseLayer(const LayerValues& layer, std::int64_t in, std::int64_t out);

  std::int64_t in() const { return plan_.in; }
  std::int64_t out() const { return plan_.out; }
  /// x [rows,in] -> y [rows,out], whose rows lie y_step floats apart. A row's result does not depend on the
  /// others, nor on the number of threads.
  void forward(const float* x, std::int64_t rows, float* y, long y_step, int threads) const;
  void forward(const Panels& x, float* y, long y_step, int threads) const;

 private:
  cpu::LinearPlan plan_;
  Buffer packed_;
};

}  // namespace cvf::kernels

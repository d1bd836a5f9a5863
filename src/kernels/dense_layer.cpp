#include "kernels/dense_layer.hpp"

#include <algorithm>

#include "kernels/cpu_choice.hpp"

namespace cvf::kernels {
namespace {

using cpu::panel;

constexpr double shared_flops = 2e6;          // from here on a second thread pays
constexpr std::int64_t rows_of_a_share = 48;  // what threads share out
constexpr std::int64_t columns_of_a_share = 4 * panel;

struct Floats {
  long weight_floats = 0, transposed_floats = 0;
};

}  // namespace

Panels::Panels(std::int64_t row_count, std::int64_t column_count)
    : rows(static_cast<int>(row_count)),
      columns(static_cast<int>(column_count)),
      stride((row_count | 1) * panel),
      values(make_buffer(static_cast<std::size_t>(panels(column_count) * stride))) {}

void Panels::fill(const float* from, int begin, int end) {
  cpu_kernels().to_panels(from, columns, begin, end, columns, values.get(), stride);
}

void product_of(const Panels& x, const float* w, const float* bias, std::int64_t out, float* y, long y_step,
                int threads) {
  const auto& kernels = cpu_kernels();
  const int in_panels = panels(x.columns);
  const auto part = [&](std::int64_t begin, std::int64_t end, std::int64_t column, std::int64_t columns) {
    kernels.dense(x.values.get(), x.stride, in_panels, w + column * in_panels * panel,
                  bias != nullptr ? bias + column : nullptr, static_cast<int>(columns),
                  static_cast<int>(begin), static_cast<int>(end), y + column, y_step);
  };
  const double flops = 2.0 * x.rows * x.columns * static_cast<double>(out);
  if (threads == 1 || flops <= shared_flops) return part(0, x.rows, 0, out);
  const std::int64_t share = x.rows > rows_of_a_share ? rows_of_a_share : columns_of_a_share;
  const std::int64_t whole = x.rows > rows_of_a_share ? x.rows : out, shares = (whole + share - 1) / share;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 0; i < shares; ++i) {
    const std::int64_t begin = i * share, end = std::min(whole, begin + share);
    x.rows > rows_of_a_share ? part(begin, end, 0, out) : part(0, x.rows, begin, end - begin);
  }
}

DenseLayer::DenseLayer(const LayerValues& layer, std::int64_t in, std::int64_t out) {
  Floats floats;
  plan_ = place(in, out, floats);
  packed_ = make_buffer(static_cast<std::size_t>(floats.weight_floats));
  pack_layer(plan_, layer, packed_.get());
}

void DenseLayer::forward(const Panels& x, float* y, long y_step, int threads) const {
  product_of(x, packed_.get() + plan_.weight, packed_.get() + plan_.bias, plan_.out, y, y_step, threads);
}

void DenseLayer::forward(const float* x, std::int64_t rows, float* y, long y_step, int threads) const {
  Panels as_panels(rows, plan_.in);
  as_panels.fill(x, 0, as_panels.rows);
  forward(as_panels, y, y_step, threads);
}

}  // namespace cvf::kernels

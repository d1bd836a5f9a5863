#include "runtime/double_layers.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::runtime {
namespace {

using fields::step_waves;

// Rows and outputs whose sums are held while the inputs go by.
constexpr std::size_t block = 4, columns = 4;

// y[k] += x[k] w for some rows and outputs; every sum runs over the inputs in order, whatever its neighbours
// are.
template <std::size_t rows, std::size_t outputs>
void add_tile(const double* const* x, std::size_t in, const double* w, std::size_t stride, double* const* y,
              std::size_t first) {
  double sums[rows][outputs];
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t o = 0; o < outputs; ++o) sums[k][o] = y[k][first + o];
  }
  const double* column = w + first;
  for (std::size_t i = 0; i < in; ++i, column += stride) {
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t o = 0; o < outputs; ++o) sums[k][o] += x[k][i] * column[o];
    }
  }
  for (std::size_t k = 0; k < rows; ++k) {
    for (std::size_t o = 0; o < outputs; ++o) y[k][first + o] = sums[k][o];
  }
}

template <std::size_t rows>
void add_products(const double* const* x, std::size_t in, std::size_t out, const double* w,
                  double* const* y) {
  std::size_t first = 0;
  for (; first + columns <= out; first += columns) add_tile<rows, columns>(x, in, w, out, y, first);
  for (; first < out; ++first) add_tile<rows, 1>(x, in, w, out, y, first);
}

}  // namespace

DoubleLayer::DoubleLayer(const WeightsOf<double>& weights, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    const auto& sizes = weights.sizes(name + ".weight");
    in_ = static_cast<std::size_t>(sizes[1]);
    out_ += static_cast<std::size_t>(sizes[0]);
    taps_ = 1;
    for (std::size_t axis = 2; axis < sizes.size(); ++axis) taps_ *= static_cast<std::size_t>(sizes[axis]);
  }
  weight_.resize(taps_ * in_ * out_);
  std::size_t first = 0;
  for (const auto& name : names) {
    const double *weight = weights.at(name + ".weight"), *bias = weights.at(name + ".bias");
    const auto own = static_cast<std::size_t>(weights.sizes(name + ".bias")[0]);
    for (std::size_t o = 0; o < own; ++o) {
      for (std::size_t i = 0; i < in_; ++i) {
        for (std::size_t t = 0; t < taps_; ++t)
          weight_[(t * in_ + i) * out_ + first + o] = weight[(o * in_ + i) * taps_ + t];
      }
    }
    bias_.insert(bias_.end(), bias, bias + own);
    first += own;
  }
}

void DoubleLayer::forward(const double* x, std::size_t rows, double* y) const {
  forward(x, {}, rows, y);
}

void DoubleLayer::forward(const double* x, std::span<const std::size_t> from, std::size_t rows,
                          double* y) const {
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t count = std::min(block, rows - first);
    double* to[block];
    for (std::size_t k = 0; k < count; ++k)
      std::copy(bias_.begin(), bias_.end(), to[k] = y + (first + k) * out_);
    for (std::size_t t = 0; t < taps_; ++t) {
      const double* given[block];
      for (std::size_t k = 0; k < count; ++k)
        given[k] = x + (from.empty() ? first + k : from[t * rows + first + k]) * in_;
      const double* w = weight_.data() + t * in_ * out_;
      if (count == block) {
        add_products<block>(given, in_, out_, w, to);
      } else {
        for (std::size_t k = 0; k < count; ++k) add_products<1>(given + k, in_, out_, w, to + k);
      }
    }
  }
}

DoubleModulation::DoubleModulation(const fields::StateShape& shape, bool conditioned,
                                   const std::vector<std::string>& layers, const WeightsOf<double>& weights)
    : dt_ref_(shape.dt_ref),
      conditioned_(conditioned),
      frequencies_(weights.at("step.frequencies"), weights.at("step.frequencies") + step_waves),
      first_(weights, "step.first"),
      second_(weights, "step.second"),
      modulate_(weights, layers) {
  if (shape.conditions() > 0) context_.emplace_back(weights, "step.context");
}

std::size_t DoubleModulation::scratch() const {
  return static_cast<std::size_t>(2 * step_waves) + 3 * first_.out() + modulate_.out();
}

double DoubleModulation::flops() const {
  return 2 * (first_.products() + second_.products() + modulate_.products() +
              (context_.empty() ? 0 : context_[0].products()));
}

const double* DoubleModulation::of(const QueryOf<double>& query, std::size_t row, Scratch& scratch) const {
  const double tau = conditioned_ && !query.dt.empty() ? query.dt[row] / dt_ref_ : 0;
  const auto waves_of_a_kind = static_cast<std::size_t>(step_waves);
  const std::size_t width = first_.out();
  double *waves = scratch.take(2 * waves_of_a_kind), *hidden = scratch.take(width),
         *added = scratch.take(width), *embedding = scratch.take(width), *out = scratch.take(modulate_.out());
  for (std::size_t i = 0; i < waves_of_a_kind; ++i) {
    waves[i] = std::cos(tau * frequencies_[i]);
    waves[waves_of_a_kind + i] = std::sin(tau * frequencies_[i]);
  }
  first_.forward(waves, 1, hidden);
  if (!context_.empty()) {
    context_[0].forward(query.conditions + row * context_[0].in(), 1, added);
    for (std::size_t i = 0; i < width; ++i) hidden[i] += added[i];
  }
  silu(hidden, width);
  second_.forward(hidden, 1, embedding);
  silu(embedding, width);
  modulate_.forward(embedding, 1, out);
  return out;
}

void gelu(double* values, std::size_t count) {
  const double scale = std::sqrt(2 / M_PI);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = values[i];
    values[i] = 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
  }
}

void silu(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] /= 1 + std::exp(-values[i]);
}

void modulated_norm(const double* x, std::size_t rows, std::size_t width, const double* shift,
                    const double* scale, double* out) {
  for (std::size_t r = 0; r < rows; ++r, x += width, out += width) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[i] / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) square += (x[i] - mean) * (x[i] - mean);
    const double factor = 1 / std::sqrt(square / static_cast<double>(width) + 1e-6);
    for (std::size_t i = 0; i < width; ++i) out[i] = (x[i] - mean) * factor * (1 + scale[i]) + shift[i];
  }
}

}  // namespace cvf::runtime

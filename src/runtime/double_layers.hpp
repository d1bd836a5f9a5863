// Layers in double precision: plain loops, the reference operations one after the other. One sample at a
// time, so that its bits depend on nobody else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/network.hpp"

namespace cvf::runtime {

/// Turns in memory that a caller hands out once for a sample.
class Scratch {
 public:
  explicit Scratch(std::size_t values) : memory_(values) {}
  double* take(std::size_t values) {
    used_ += values;
    return memory_.data() + used_ - values;
  }
  void clear() { used_ = 0; }

 private:
  std::vector<double> memory_;
  std::size_t used_ = 0;
};

/// y[r] = sum over taps of w[tap] x[from(tap, r)] + bias: a linear layer has one tap and takes row r itself.
class DoubleLayer {
 public:
  /// A layer called so, of weights [out, in] or [out, in, taps...]; or several on the same input, whose
  /// results stand side by side.
  DoubleLayer(const WeightsOf<double>& weights, const std::vector<std::string>& names);
  DoubleLayer(const WeightsOf<double>& weights, const std::string& name)
      : DoubleLayer(weights, std::vector{name}) {}

  std::size_t in() const { return in_; }
  std::size_t out() const { return out_; }
  double products() const { return static_cast<double>(in_ * out_ * taps_); }

  void forward(const double* x, std::size_t rows, double* y) const;
  /// `from` [taps, rows]: the row of x that each tap of a row sees.
  void forward(const double* x, std::span<const std::size_t> from, std::size_t rows, double* y) const;

 private:
  std::size_t in_ = 0, out_ = 0, taps_ = 1;
  std::vector<double> weight_, bias_;  // [taps, in, out]
};

/// Waves of tau, the step embedding, and the modulation of all blocks of a sample.
class DoubleModulation {
 public:
  DoubleModulation(const fields::StateShape& shape, bool conditioned, const std::vector<std::string>& layers,
                   const WeightsOf<double>& weights);

  std::size_t values() const { return modulate_.out(); }
  std::size_t scratch() const;
  double flops() const;
  /// Of sample `row`.
  const double* of(const QueryOf<double>& query, std::size_t row, Scratch& scratch) const;

 private:
  double dt_ref_;
  bool conditioned_;
  std::vector<double> frequencies_;
  DoubleLayer first_, second_, modulate_;
  std::vector<DoubleLayer> context_;  // one where there are conditions
};

void gelu(double* values, std::size_t count);  // the tanh form
void silu(double* values, std::size_t count);
/// out = norm(x) * (1 + scale) + shift for each row; no affine part of its own.
void modulated_norm(const double* x, std::size_t rows, std::size_t width, const double* shift,
                    const double* scale, double* out);

/// Calls work(sample, scratch) for every sample, by as many threads; each has scratch of so many values.
template <class Work>
void for_each_sample(std::int64_t samples, int threads, std::size_t scratch_values, const Work& work) {
  const auto team =
      static_cast<std::size_t>(std::max<std::int64_t>(1, std::min<std::int64_t>(threads, samples)));
  std::vector<Scratch> scratch(team, Scratch(scratch_values));
  if (team == 1) {  // nothing of OpenMP is woken
    for (std::int64_t i = 0; i < samples; ++i) {
      scratch[0].clear();
      work(static_cast<std::size_t>(i), scratch[0]);
    }
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(team)) schedule(static)
  for (std::int64_t t = 0; t < static_cast<std::int64_t>(team); ++t) {
    for (std::int64_t i = t; i < samples; i += static_cast<std::int64_t>(team)) {
      auto& own = scratch[static_cast<std::size_t>(t)];
      own.clear();
      work(static_cast<std::size_t>(i), own);
    }
  }
}

}  // namespace cvf::runtime

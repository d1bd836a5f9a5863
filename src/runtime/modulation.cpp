#include "runtime/modulation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace cvf::runtime {
namespace {

using fields::step_waves;

void silu(std::vector<float>& values) {
  for (auto& x : values) x = x / (1 + std::exp(-x));
}

std::vector<float> through(const kernels::DenseLayer& layer, const float* x, std::int64_t rows, int threads) {
  std::vector<float> out(static_cast<std::size_t>(rows * layer.out()));
  layer.forward(x, rows, out.data(), layer.out(), threads);
  return out;
}

}  // namespace

Modulation::Modulation(const fields::StateShape& shape, bool conditioned,
                       const std::vector<std::string>& layers, const Weights& weights)
    : dt_ref_(shape.dt_ref),
      conditioned_(conditioned),
      frequencies_(weights.at("step.frequencies"), weights.at("step.frequencies") + step_waves),
      first_(dense_of(weights, "step.first")),
      second_(dense_of(weights, "step.second")),
      modulate_(dense_of(weights, layers)) {
  if (shape.conditions() > 0) context_ = dense_of(weights, "step.context");
}

double Modulation::flops() const {
  const auto products = [](const kernels::DenseLayer& layer) {
    return static_cast<double>(layer.in() * layer.out());
  };
  return 2 *
         (products(first_) + products(second_) + products(modulate_) + (context_ ? products(*context_) : 0));
}

std::vector<float> Modulation::of(const Query& query, int threads) const {
  const auto dt = conditioned_ ? query.dt : std::span<const double>();
  // Rows of one step and no conditions share their modulation.
  const bool shared =
      !context_ && std::adjacent_find(dt.begin(), dt.end(), std::not_equal_to<>()) == dt.end();
  const std::int64_t rows = shared ? 1 : query.rows;
  std::vector<float> waves(static_cast<std::size_t>(rows * 2 * step_waves));
  for (std::int64_t r = 0; r < rows; ++r) {
    const double tau = dt.empty() ? 0 : dt[static_cast<std::size_t>(r)] / dt_ref_;
    float* row = waves.data() + r * 2 * step_waves;
    for (std::int64_t i = 0; i < step_waves; ++i) {
      const double angle = tau * static_cast<double>(frequencies_[static_cast<std::size_t>(i)]);
      row[i] = static_cast<float>(std::cos(angle));
      row[step_waves + i] = static_cast<float>(std::sin(angle));
    }
  }
  std::vector<float> hidden = through(first_, waves.data(), rows, threads);
  if (context_) {
    const auto added = through(*context_, query.conditions, rows, threads);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += added[i];
  }
  silu(hidden);
  hidden = through(second_, hidden.data(), rows, threads);
  silu(hidden);
  std::vector<float> out = through(modulate_, hidden.data(), rows, threads);
  if (!shared || query.rows == 1) return out;
  const std::size_t one = out.size();
  out.resize(one * static_cast<std::size_t>(query.rows));
  for (std::int64_t r = 1; r < query.rows; ++r)
    std::copy_n(out.begin(), one, out.begin() + static_cast<std::ptrdiff_t>(one) * r);
  return out;
}

}  // namespace cvf::runtime

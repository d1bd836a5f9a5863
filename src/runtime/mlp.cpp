// The network for vector states.
#include <cmath>

#include "kernels/cpu_choice.hpp"
#include "runtime/networks.hpp"

namespace cvf::runtime {
namespace {

std::vector<std::string> modulating(int depth) {
  std::vector<std::string> out;
  for (int i = 0; i < depth; ++i) out.push_back(fmt::format("blocks.{}.modulate", i));
  out.emplace_back("final_modulate");
  return out;
}

// Four running sums: no addition waits for the one before.
template <class Value>
double sum_of(std::size_t count, const Value& value) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += value(i + k);
  }
  for (; i < count; ++i) sums[0] += value(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// out = norm(x) * (1 + scale) + shift, for one row; no affine part of its own.
void modulated_norm(const float* x, std::size_t width, const float* shift, const float* scale, float* out) {
  const auto count = static_cast<double>(width);
  const double mean = sum_of(width, [x](std::size_t i) { return static_cast<double>(x[i]); }) / count;
  const double squares = sum_of(width, [x, mean](std::size_t i) {
    const double d = static_cast<double>(x[i]) - mean;
    return d * d;
  });
  const auto center = static_cast<float>(mean);
  const auto factor = static_cast<float>(1 / std::sqrt(squares / count + 1e-6));
  for (std::size_t i = 0; i < width; ++i) out[i] = (x[i] - center) * factor * (1 + scale[i]) + shift[i];
}

}  // namespace

Mlp::Mlp(const fields::StateShape& shape, const Options& options, const Weights& weights)
    : width_(static_cast<std::size_t>(options.width)),
      modulation_(shape, options.conditioned, modulating(options.depth), weights),
      input_(dense_of(weights, "input")),
      output_(dense_of(weights, "output")) {
  for (int i = 0; i < options.depth; ++i) {
    blocks_.push_back({dense_of(weights, fmt::format("blocks.{}.expand", i)),
                       dense_of(weights, fmt::format("blocks.{}.contract", i))});
  }
}

void Mlp::forward(const Query& query, float* psi, int threads) const {
  const auto rows = static_cast<std::size_t>(query.rows);
  const std::vector<float> modulation = modulation_.of(query, threads);
  const auto of_row = [&](std::size_t r, std::size_t part) {
    return modulation.data() + r * static_cast<std::size_t>(modulation_.values()) + part * width_;
  };
  std::vector<float> x(rows * width_), normal(x.size()), added(x.size()), hidden;
  const auto normalise = [&](std::size_t part) {
    for (std::size_t r = 0; r < rows; ++r) {
      modulated_norm(x.data() + r * width_, width_, of_row(r, part), of_row(r, part + 1),
                     normal.data() + r * width_);
    }
  };
  const auto run = [&](const kernels::DenseLayer& layer, const float* from, float* to) {
    layer.forward(from, query.rows, to, layer.out(), threads);
  };
  run(input_, query.state, x.data());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {  // shift, scale, gate
    normalise(3 * i);
    hidden.resize(rows * static_cast<std::size_t>(blocks_[i].expand.out()));
    run(blocks_[i].expand, normal.data(), hidden.data());
    kernels::cpu_kernels().gelu(hidden.data(), static_cast<long>(hidden.size()));
    run(blocks_[i].contract, hidden.data(), added.data());
    for (std::size_t r = 0; r < rows; ++r) {
      const float* gate = of_row(r, 3 * i + 2);
      for (std::size_t k = 0; k < width_; ++k) x[r * width_ + k] += gate[k] * added[r * width_ + k];
    }
  }
  normalise(3 * blocks_.size());
  run(output_, normal.data(), psi);
}

double Mlp::flops() const {
  const auto products = [](const kernels::DenseLayer& layer) {
    return static_cast<double>(layer.in() * layer.out());
  };
  double out = products(input_) + products(output_);
  for (const auto& block : blocks_) out += products(block.expand) + products(block.contract);
  return 2 * out + modulation_.flops();
}

}  // namespace cvf::runtime

#include <algorithm>

#include "kernels/batch.hpp"
#include "kernels/cpu_choice.hpp"
#include "kernels/sit.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

constexpr std::int64_t few = 16;    // vectors; for more of them the library's product is as fast
constexpr std::int64_t many = 32;   // vectors; for as many it pays to copy the matrices into one
constexpr std::int64_t piece = 64;  // rows of a matrix that a thread takes at a time

bool dots_apply(const Tensor& x, const std::vector<Linear>& layers) {
  if (torch::GradMode::is_enabled() || x.size(0) == 0 || x.size(0) > few || !is_dense_float(x)) return false;
  return std::all_of(layers.begin(), layers.end(),
                     [](const Linear& l) { return is_dense_float(l.weight) && is_dense_float(l.bias); });
}

struct RowPiece {
  const float *weight, *bias;
  std::int64_t rows, column;  // the column in the result
};

std::vector<RowPiece> row_pieces(const std::vector<Linear>& layers, std::int64_t in) {
  std::vector<RowPiece> out;
  std::int64_t column = 0;
  for (const auto& l : layers) {
    const std::int64_t rows = l.weight.size(0);
    for (std::int64_t r = 0; r < rows; r += piece) {
      out.push_back({l.weight.data_ptr<float>() + r * in, l.bias.data_ptr<float>() + r,
                     std::min(piece, rows - r), column + r});
    }
    column += rows;
  }
  return out;
}

Tensor run_dots(const Tensor& x, const std::vector<Linear>& layers) {
  const auto pieces = row_pieces(layers, x.size(1));
  const std::int64_t width = pieces.back().column + pieces.back().rows;
  Tensor out = torch::empty({x.size(0), width});
  const auto& kernels = cpu_kernels();
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  const int in = static_cast<int>(x.size(1)), count = static_cast<int>(x.size(0));
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const RowPiece& p = pieces[i];
    kernels.dots(p.weight, p.bias, in, static_cast<int>(p.rows), from, count, to + p.column, width);
  }
  return out;
}

Tensor each_by_itself(const Tensor& x, const std::vector<Linear>& layers, Engine engine) {
  std::vector<Tensor> parts;
  for (const auto& l : layers) parts.push_back(linear(x, l, engine));
  return torch::cat(parts, 1);
}

// One product and, for gradients, two, where each by itself would wake the library's threads for every layer.
Tensor all_at_once(const Tensor& x, const std::vector<Linear>& layers, Engine engine) {
  std::vector<Tensor> weights, biases;
  for (const auto& l : layers) weights.push_back(l.weight), biases.push_back(l.bias);
  return linear(x, {torch::cat(weights), torch::cat(biases)}, engine);
}

}  // namespace

Tensor linears_beside(const Tensor& x, const std::vector<Linear>& layers, Engine engine) {
  if (engine == Engine::automatic && dots_apply(x, layers)) return run_dots(x, layers);
  return x.size(0) < many ? each_by_itself(x, layers, engine) : all_at_once(x, layers, engine);
}

}  // namespace cvf::kernels

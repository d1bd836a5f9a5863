#include "plain.hpp"

namespace cvf::bench {
namespace {

using torch::Tensor;

const std::vector<std::vector<double>> stages{
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
const std::vector<double> error_weights{35.0 / 384 - 1951.0 / 21600,
                                        0,
                                        500.0 / 1113 - 22642.0 / 50085,
                                        125.0 / 192 - 451.0 / 720,
                                        -2187.0 / 6784 + 12231.0 / 42400,
                                        11.0 / 84 - 649.0 / 6300,
                                        -1.0 / 60};

Tensor weighted(const std::vector<double>& weights, const std::vector<Tensor>& k) {
  Tensor sum = weights[0] * k[0];
  for (std::size_t j = 1; j < weights.size(); ++j) {
    if (weights[j] != 0) sum.add_(k[j], weights[j]);
  }
  return sum;
}

}  // namespace

Plain plain_dopri5(const solvers::Velocity& velocity, const Tensor& start, double until, double first,
                   double atol, double rtol) {
  const torch::NoGradGuard no_gradients;
  Plain out{start.clone(), 0};
  const Tensor zero = torch::zeros({start.size(0)}, torch::kDouble);
  Tensor t = torch::zeros({start.size(0), 1}, start.options()), h = torch::full_like(t, first);
  Tensor slope = velocity(out.end, zero);
  while ((t < until).any().item<bool>()) {
    std::vector<Tensor> k{slope};
    Tensor next;
    for (const auto& row : stages) {
      next = out.end + h * weighted(row, k);
      k.push_back(velocity(next, zero));
    }
    const Tensor tolerance = atol + rtol * torch::maximum(out.end.abs(), next.abs());
    const Tensor ratio = (h * weighted(error_weights, k) / tolerance).square().mean(1, true).sqrt();
    const Tensor keep = ratio <= 1;
    t = torch::where(keep, t + h, t);
    out.end = torch::where(keep, next, out.end);
    slope = torch::where(keep, k.back(), slope);
    const Tensor least = torch::where(ratio < 1, torch::ones_like(ratio), torch::full_like(ratio, 0.2));
    h = h * torch::maximum(0.9 * ratio.pow(-0.2), least).clamp_max(10);
    ++out.rounds;
  }
  return out;
}

}  // namespace cvf::bench

#include "normalizers/moments.hpp"

namespace cvf::normalizers {

Moments::Moments(std::int64_t channels)
    : mean(torch::zeros(channels, torch::kDouble)), variance(torch::ones(channels, torch::kDouble)) {}

Moments Moments::of(const torch::Tensor& values) {
  const auto rows =
      values.detach().to(torch::kCPU, torch::kDouble).transpose(0, 1).flatten(1);  // [C, everything else]
  Moments out(rows.size(0));
  out.mean = rows.mean(1);
  out.variance = (rows - out.mean.unsqueeze(1)).square().mean(1);
  return out;
}

void Moments::follow(const torch::Tensor& values, double decay) {
  const Moments batch = of(values);
  mean = decay * mean + (1 - decay) * batch.mean;
  variance = decay * variance + (1 - decay) * batch.variance;
}

torch::Tensor Moments::deviation(double epsilon) const {
  return (variance + epsilon).sqrt();
}

torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = values.numel();
  return values.to(like.options().requires_grad(false)).view(shape);
}

}  // namespace cvf::normalizers

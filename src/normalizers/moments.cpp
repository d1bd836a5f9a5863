#include "normalizers/normalizer.hpp"

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

Moments Moments::merged(const std::vector<Moments>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<torch::Tensor> means, variances;
  for (const auto& part : parts) {
    means.push_back(part.mean);
    variances.push_back(part.variance);
  }
  const auto each = torch::stack(means);  // [parts,C]
  Moments out(parts.front().mean.numel());
  out.mean = each.mean(0);
  out.variance = torch::stack(variances).mean(0) + (each - out.mean).square().mean(0);
  return out;
}

void Moments::follow(const Moments& other, double decay) {
  mean = decay * mean + (1 - decay) * other.mean;
  variance = decay * variance + (1 - decay) * other.variance;
}

torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& like) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(like.dim()), 1);
  shape[1] = values.numel();
  return values.to(like.options().requires_grad(false)).view(shape);
}

}  // namespace cvf::normalizers

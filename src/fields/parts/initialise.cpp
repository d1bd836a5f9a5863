#include "fields/parts/initialise.hpp"

#include <cmath>
#include <string>

#include "core/random.hpp"

namespace cvf::fields {

void initialise(const torch::Tensor& weight, const torch::Tensor& bias, Draw draw, std::uint64_t seed,
                std::string_view name) {
  torch::NoGradGuard no_grad;
  bias.zero_();
  weight.zero_();
  if (draw == Draw::zero) return;
  RandomStream stream(seed, "field/" + std::string(name));
  const double taps = static_cast<double>(weight[0][0].numel());  // of a convolution; 1 for a matrix
  const double reach = std::sqrt(6.0 / (taps * static_cast<double>(weight.size(0) + weight.size(1))));
  const torch::Tensor values = torch::empty_like(weight, torch::kDouble);
  double* out = values.data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = draw == Draw::xavier ? stream.uniform(-reach, reach) : 0.02 * stream.normal();
  }
  weight.copy_(values);
}

void initialise(const torch::nn::Linear& linear, Draw draw, std::uint64_t seed, std::string_view name) {
  initialise(linear->weight, linear->bias, draw, seed, name);
}

}  // namespace cvf::fields

#include "fields/parts/initialise.hpp"

#include <cmath>
#include <string>

#include "core/random.hpp"

namespace cvf::fields {

void initialise(const torch::nn::Linear& linear, Draw draw, std::uint64_t seed, std::string_view name) {
  torch::NoGradGuard no_grad;
  linear->bias.zero_();
  linear->weight.zero_();
  if (draw == Draw::zero) return;
  RandomStream stream(seed, "field/" + std::string(name));
  const double reach = std::sqrt(6.0 / static_cast<double>(linear->weight.size(0) + linear->weight.size(1)));
  const torch::Tensor values = torch::empty_like(linear->weight, torch::kDouble);
  double* out = values.data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    out[i] = draw == Draw::xavier ? stream.uniform(-reach, reach) : 0.02 * stream.normal();
  }
  linear->weight.copy_(values);
}

}  // namespace cvf::fields

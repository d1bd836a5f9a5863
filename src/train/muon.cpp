#include "train/muon.hpp"

#include <algorithm>
#include <cmath>

namespace cvf::train {

using torch::Tensor;

void MuonOptions::describe(config::Section& s) {
  s.key("learning_rate", &learning_rate,
        "highest learning rate of the inner matrices; 0 = optimizer.learning_rate", config::at_least(0));
  s.key("momentum", &momentum, "memory of the gradient's mean", config::between(0, 0.999999));
  s.key("nesterov", &nesterov, "look ahead: the newest gradient counts once more");
  s.key("decay", &decay, "weight decay of the inner matrices", config::at_least(0));
}

bool is_inner_matrix(std::string_view name, const Tensor& parameter) {
  return parameter.dim() >= 2 && name.starts_with("blocks.") && name.find(".modulate.") == name.npos;
}

// Every iteration maps each singular value s to a s + b s^3 + c s^5. These published coefficients are steep
// at 0 and do not converge to 1 but stay near it, which five iterations need.
Tensor orthogonalised(const Tensor& matrix) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  const bool tall = matrix.size(0) > matrix.size(1);
  Tensor x = tall ? matrix.t() : matrix;
  x = x / x.norm().clamp_min(1e-20);
  for (int i = 0; i < 5; ++i) {
    const Tensor gram = x.mm(x.t());
    x = torch::addmm(x, torch::addmm(gram, gram, gram, b, c), x, a, 1);
  }
  return tall ? x.t() : x;
}

void muon_step(std::vector<InnerMatrix>& matrices, const MuonOptions& o, double learning_rate) {
  const torch::NoGradGuard no_gradients;
  for (auto& [weight, mean] : matrices) {
    const Tensor& gradient = weight.grad();
    if (!gradient.defined()) continue;
    mean.lerp_(gradient, 1 - o.momentum);
    const Tensor direction = o.nesterov ? gradient.lerp(mean, o.momentum) : mean;
    const Tensor update = orthogonalised(direction.flatten(1));
    const auto longest = static_cast<double>(std::max(update.size(0), update.size(1)));
    weight.mul_(1 - learning_rate * o.decay)
        .sub_(update.view_as(weight), 0.2 * learning_rate * std::sqrt(longest));
  }
}

}  // namespace cvf::train

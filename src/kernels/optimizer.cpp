#include "kernels/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu_choice.hpp"
#include "kernels/plain_float.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

void run_fused(Tensor& parameter, const Tensor& gradient, Tensor& mean, Tensor& square, const cpu::AdamW& a) {
  float *w = parameter.data_ptr<float>(), *m = mean.data_ptr<float>(), *v = square.data_ptr<float>();
  const float* g = gradient.data_ptr<float>();
  const long count = parameter.numel(), piece = 1 << 16, pieces = (count + piece - 1) / piece;
  const auto& kernels = cpu_kernels();
#pragma omp parallel for schedule(static) if (pieces > 1)
  for (long i = 0; i < pieces; ++i) {
    const long at = i * piece;
    kernels.adamw(a, w + at, g + at, m + at, v + at, std::min(piece, count - at));
  }
  parameter.unsafeGetTensorImpl()->bump_version();  // packed copies of the weights notice by this
}

}  // namespace

void adamw_step(Tensor& parameter, const Tensor& gradient, Tensor& mean, Tensor& square, std::int64_t step,
                const AdamWOptions& o) {
  torch::NoGradGuard no_grad;
  const double c1 = 1 - std::pow(o.beta1, step), c2 = 1 - std::pow(o.beta2, step);
  if (is_dense_float(parameter) && is_dense_float(gradient)) {
    const auto f = [](double x) { return static_cast<float>(x); };
    return run_fused(parameter, gradient, mean, square,
                     {f(o.rate), f(o.beta1), f(o.beta2), f(o.epsilon), f(o.decay), f(c1), f(c2)});
  }
  mean.mul_(o.beta1).add_(gradient, 1 - o.beta1);
  square.mul_(o.beta2).addcmul_(gradient, gradient, 1 - o.beta2);
  parameter.mul_(1 - o.rate * o.decay);
  parameter.addcdiv_(mean, (square.sqrt() / std::sqrt(c2)).add_(o.epsilon), -o.rate / c1);
}

void fused_adamw(std::vector<Tensor>& parameters, std::vector<Tensor>& means, std::vector<Tensor>& squares,
                 std::int64_t step, const AdamWOptions& options) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].grad().defined()) continue;
    AdamWOptions mine = options;
    if (parameters[i].dim() < 2) mine.decay = 0;
    adamw_step(parameters[i], parameters[i].grad(), means[i], squares[i], step, mine);
  }
}

}  // namespace cvf::kernels

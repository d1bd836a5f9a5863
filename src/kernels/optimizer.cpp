#include "kernels/optimizer.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/batch.hpp"
#include "kernels/cpu_choice.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

constexpr long slice_values = 1 << 14;  // values that a thread takes at a time

struct Slice {
  cpu::AdamW step;
  float *weight, *mean, *square;
  const float* gradient;
  long count;
};

void add_slices(Tensor& parameter, const Tensor& gradient, Tensor& mean, Tensor& square, const cpu::AdamW& a,
                std::vector<Slice>& slices) {
  float *w = parameter.data_ptr<float>(), *m = mean.data_ptr<float>(), *v = square.data_ptr<float>();
  const float* g = gradient.data_ptr<float>();
  const long count = parameter.numel();
  for (long at = 0; at < count; at += slice_values) {
    slices.push_back({a, w + at, m + at, v + at, g + at, std::min(slice_values, count - at)});
  }
  parameter.unsafeGetTensorImpl()->bump_version();  // packed copies of the weights notice by this
}

// One parallel loop over all parameters: most of them are too small to share out.
void run(const std::vector<Slice>& slices) {
  const auto& kernels = cpu_kernels();
#pragma omp parallel for schedule(static) if (slices.size() > 1)
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& s = slices[i];
    kernels.adamw(s.step, s.weight, s.gradient, s.mean, s.square, s.count);
  }
}

void run_composed(Tensor& parameter, const Tensor& gradient, Tensor& mean, Tensor& square, double c1,
                  double c2, const AdamWOptions& o) {
  mean.mul_(o.beta1).add_(gradient, 1 - o.beta1);
  square.mul_(o.beta2).addcmul_(gradient, gradient, 1 - o.beta2);
  parameter.mul_(1 - o.learning_rate * o.decay);
  parameter.addcdiv_(mean, (square.sqrt() / std::sqrt(c2)).add_(o.epsilon), -o.learning_rate / c1);
}

}  // namespace

void fused_adamw(std::vector<Tensor>& parameters, std::vector<Tensor>& means, std::vector<Tensor>& squares,
                 std::int64_t step, const AdamWOptions& options) {
  torch::NoGradGuard no_grad;
  const double c1 = 1 - std::pow(options.beta1, step), c2 = 1 - std::pow(options.beta2, step);
  const auto f = [](double x) { return static_cast<float>(x); };
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& gradient = parameters[i].grad();
    if (!gradient.defined()) continue;
    AdamWOptions o = options;
    if (parameters[i].dim() < 2) o.decay = 0;
    if (is_dense_float(parameters[i]) && is_dense_float(gradient)) {
      add_slices(parameters[i], gradient, means[i], squares[i],
                 {f(o.learning_rate), f(o.beta1), f(o.beta2), f(o.epsilon), f(o.decay), f(c1), f(c2)},
                 slices);
    } else {
      run_composed(parameters[i], gradient, means[i], squares[i], c1, c2, o);
    }
  }
  run(slices);
}

}  // namespace cvf::kernels

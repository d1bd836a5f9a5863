// AdamW over a flat array, and a loop that does nothing but multiply-adds (the peak to compare with).
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

// m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  w = w (1 - rate*decay) - rate/c1 * m / (sqrt(v/c2) + eps)
void adamw(const AdamW& a, float* weight, const float* gradient, float* mean, float* square, long count) {
  const float shrink = 1 - a.rate * a.decay, step = a.rate / a.correction1;
  const float root_scale = 1 / __builtin_sqrtf(a.correction2);
  long i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vec g = load(gradient + i);
    const Vec m = fma(splat(a.beta1), load(mean + i), splat(1 - a.beta1) * g);
    const Vec v = fma(splat(a.beta2), load(square + i), splat(1 - a.beta2) * g * g);
    store(mean + i, m);
    store(square + i, v);
    const Vec change = splat(step) * m / fma(root(v), splat(root_scale), splat(a.epsilon));
    store(weight + i, fma(load(weight + i), splat(shrink), splat(0) - change));
  }
  for (; i < count; ++i) {
    const float g = gradient[i];
    mean[i] = a.beta1 * mean[i] + (1 - a.beta1) * g;
    square[i] = a.beta2 * square[i] + (1 - a.beta2) * g * g;
    weight[i] = weight[i] * shrink - step * mean[i] / (__builtin_sqrtf(square[i]) * root_scale + a.epsilon);
  }
}

double peak(long rounds) {
  constexpr int chains = 12;
  Vec c[chains];
  for (int i = 0; i < chains; ++i) c[i] = splat(static_cast<float>(i));
  Vec a = splat(0.999f), b = splat(0.001f);
  for (long r = 0; r < rounds; ++r) {
    asm volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) c[i] = fma(c[i], a, b);
  }
  Vec total = c[0];
  for (int i = 1; i < chains; ++i) total = total + c[i];
  volatile float sink = sum(total);
  (void)sink;
  return 2.0 * lanes * chains * static_cast<double>(rounds);
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

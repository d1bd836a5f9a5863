// A vector register and what the kernels do with it, for the flavour that is being compiled (CVF_SIMD). No
// -ffast-math here: it would break the rounding trick of exp2.
#pragma once

#include "kernels/cpu/plan.hpp"

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#define CVF_INLINE inline __attribute__((always_inline))
#define CVF_KERNEL __attribute__((noinline))

namespace cvf::kernels::cpu::CVF_SIMD {

#if defined(__AVX512F__)

using Vec = __m512;
constexpr int lanes = 16, tile_rows = 14, gradient_rows = 8;
CVF_INLINE Vec load(const float* p) {
  return _mm512_loadu_ps(p);
}
CVF_INLINE void store(float* p, Vec a) {
  _mm512_storeu_ps(p, a);
}
CVF_INLINE Vec splat(float a) {
  return _mm512_set1_ps(a);
}
CVF_INLINE Vec fma(Vec a, Vec b, Vec c) {
  return _mm512_fmadd_ps(a, b, c);
}
CVF_INLINE Vec max(Vec a, Vec b) {
  return _mm512_max_ps(a, b);
}
CVF_INLINE Vec min(Vec a, Vec b) {
  return _mm512_min_ps(a, b);
}
CVF_INLINE Vec root(Vec a) {
  return _mm512_sqrt_ps(a);
}
CVF_INLINE Vec scaled_by_power(Vec a, Vec rounded) {
  const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(rounded), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), power));
}

#elif defined(__AVX2__)

using Vec = __m256;
constexpr int lanes = 8, tile_rows = 6, gradient_rows = 6;
CVF_INLINE Vec load(const float* p) {
  return _mm256_loadu_ps(p);
}
CVF_INLINE void store(float* p, Vec a) {
  _mm256_storeu_ps(p, a);
}
CVF_INLINE Vec splat(float a) {
  return _mm256_set1_ps(a);
}
CVF_INLINE Vec fma(Vec a, Vec b, Vec c) {
  return _mm256_fmadd_ps(a, b, c);
}
CVF_INLINE Vec max(Vec a, Vec b) {
  return _mm256_max_ps(a, b);
}
CVF_INLINE Vec min(Vec a, Vec b) {
  return _mm256_min_ps(a, b);
}
CVF_INLINE Vec root(Vec a) {
  return _mm256_sqrt_ps(a);
}
CVF_INLINE Vec scaled_by_power(Vec a, Vec rounded) {
  const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(rounded), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), power));
}

#else

typedef float Vec __attribute__((vector_size(16)));
typedef int IntVec __attribute__((vector_size(16)));
#if defined(__aarch64__)
constexpr int lanes = 4, tile_rows = 6, gradient_rows = 6;  // 32 registers
#else
constexpr int lanes = 4, tile_rows = 2, gradient_rows = 2;  // 16 registers
#endif
CVF_INLINE Vec load(const float* p) {
  Vec a;
  __builtin_memcpy(&a, p, sizeof a);
  return a;
}
CVF_INLINE void store(float* p, Vec a) {
  __builtin_memcpy(p, &a, sizeof a);
}
CVF_INLINE Vec splat(float a) {
  return Vec{a, a, a, a};
}
CVF_INLINE Vec fma(Vec a, Vec b, Vec c) {
  return a * b + c;
}
CVF_INLINE Vec max(Vec a, Vec b) {
  return a > b ? a : b;
}
CVF_INLINE Vec min(Vec a, Vec b) {
  return a < b ? a : b;
}
CVF_INLINE Vec root(Vec a) {
  return Vec{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
}
CVF_INLINE Vec scaled_by_power(Vec a, Vec rounded) {
  return (Vec)((IntVec)a + ((IntVec)rounded << 23));
}

#endif

constexpr int vectors = panel / lanes;  // vectors in a row of a panel

CVF_INLINE float sum(Vec a) {
  float all[lanes], out = 0;
  store(all, a);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) all[i] += all[i + half];
  }
  out = all[0];
  return out;
}

CVF_INLINE float largest(Vec a) {
  float all[lanes];
  store(all, a);
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) all[i] = all[i] > all[i + half] ? all[i] : all[i + half];
  }
  return all[0];
}

/// 2^x, relative error 2e-7. Adding 1.5*2^23 rounds x to a whole number that then lies in the low bits.
CVF_INLINE Vec exp2(Vec x) {
  const Vec magic = splat(12582912.0f);
  x = max(splat(-126.0f), min(splat(126.0f), x));
  const Vec rounded = x + magic;
  const Vec f = x - (rounded - magic);  // -0.5 .. 0.5
  Vec p = splat(0.00132764725f);
  p = fma(p, f, splat(0.00967554096f));
  p = fma(p, f, splat(0.0555071309f));
  p = fma(p, f, splat(0.240221202f));
  p = fma(p, f, splat(0.693146944f));
  p = fma(p, f, splat(1.00000012f));
  return scaled_by_power(p, rounded);
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

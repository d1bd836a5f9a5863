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
constexpr int lanes = 16, tile_rows = 13, gradient_rows = 8, wide_panels = 2;  // 32 registers
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
CVF_INLINE Vec inverse(Vec a) {  // one Newton step makes 14 bits 23
  const Vec y = _mm512_rcp14_ps(a);
  return _mm512_mul_ps(y, _mm512_fnmadd_ps(a, y, _mm512_set1_ps(2.0f)));
}
CVF_INLINE Vec scaled_by_power(Vec a, Vec rounded) {
  const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(rounded), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), power));
}

#elif defined(__AVX2__)

using Vec = __m256;
constexpr int lanes = 8, tile_rows = 6, gradient_rows = 6, wide_panels = 1;
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
CVF_INLINE Vec
inverse(Vec a) {  // one Newton step makes 12 bits 23; a division takes as long as five multiplications
  const Vec y = _mm256_rcp_ps(a);
  return _mm256_mul_ps(y, _mm256_fnmadd_ps(a, y, _mm256_set1_ps(2.0f)));
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
constexpr int wide_panels = 1;
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
CVF_INLINE Vec inverse(Vec a) {
  return splat(1) / a;
}
CVF_INLINE Vec scaled_by_power(Vec a, Vec rounded) {
  return (Vec)((IntVec)a + ((IntVec)rounded << 23));
}

#endif

constexpr int vectors = panel / lanes;  // vectors in a row of a panel

#if defined(__AVX512F__)
CVF_INLINE float sum(Vec a) {
  return _mm512_reduce_add_ps(a);
}
CVF_INLINE float largest(Vec a) {
  return _mm512_reduce_max_ps(a);
}
#elif defined(__AVX2__)
CVF_INLINE float sum(Vec a) {
  __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  b = _mm_add_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
CVF_INLINE float largest(Vec a) {
  __m128 b = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  b = _mm_max_ps(b, _mm_movehl_ps(b, b));
  return _mm_cvtss_f32(_mm_max_ss(b, _mm_movehdup_ps(b)));
}
#else
CVF_INLINE float sum(Vec a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}
CVF_INLINE float largest(Vec a) {
  const float x = a[0] > a[2] ? a[0] : a[2], y = a[1] > a[3] ? a[1] : a[3];
  return x > y ? x : y;
}
#endif

/// to[c*to_step + r] = from[r*from_step + c] * factor for 8 x 8 values
CVF_INLINE void transpose_eight(const float* from, long from_step, float* to, long to_step, float factor) {
#if defined(__AVX2__)
  __m256 a[8], b[8];
  const __m256 f = _mm256_set1_ps(factor);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) a[i] = _mm256_mul_ps(_mm256_loadu_ps(from + i * from_step), f);
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    b[i] = _mm256_unpacklo_ps(a[i], a[i + 1]);
    b[i + 1] = _mm256_unpackhi_ps(a[i], a[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    a[i] = _mm256_shuffle_ps(b[i], b[i + 2], 0x44);
    a[i + 1] = _mm256_shuffle_ps(b[i], b[i + 2], 0xee);
    a[i + 2] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0x44);
    a[i + 3] = _mm256_shuffle_ps(b[i + 1], b[i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_step, _mm256_permute2f128_ps(a[i], a[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_step, _mm256_permute2f128_ps(a[i], a[i + 4], 0x31));
  }
#else
  for (int r = 0; r < 8; ++r) {
    for (int c = 0; c < 8; ++c) to[c * to_step + r] = from[r * from_step + c] * factor;
  }
#endif
}

/// 2^x for |x| < 126, relative error 2e-7. Adding 1.5*2^23 rounds x to a whole number that then lies in the
/// low bits.
CVF_INLINE Vec exp2_inside(Vec x) {
  const Vec magic = splat(12582912.0f);
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

/// 2^x for x < 126; what is too small becomes 2^-126.
CVF_INLINE Vec exp2_below(Vec x) {
  return exp2_inside(max(x, splat(-126.0f)));
}

/// 2^x for any x, held within 2^-126 and 2^126.
CVF_INLINE Vec exp2(Vec x) {
  return exp2_below(min(x, splat(126.0f)));
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

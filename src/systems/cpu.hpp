// Which flavour of the files under simd/ this CPU runs.
#pragma once

namespace cvf::systems {

inline bool cpu_has_avx2() {
#if defined(__x86_64__)
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
#else
  return false;
#endif
}

}  // namespace cvf::systems

// How the threads of a team share one sample: rows by tiles, panels and heads by number, with a barrier
// between.
#pragma once

#include <sched.h>

#include "kernels/cpu/vec.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

struct Range {
  int begin, end;
};

CVF_INLINE Range share(const Team& team, int count) {
  return {count * team.rank / team.size, count * (team.rank + 1) / team.size};
}

CVF_INLINE Range share_rows(const Team& team, int rows) {
  const Range tiles = share(team, (rows + tile_rows - 1) / tile_rows);
  const int end = tiles.end * tile_rows;
  return {tiles.begin * tile_rows, end < rows ? end : rows};
}

/// Spins for a moment, since the others are close behind, then lets other processes run.
inline void wait(const Team& team) {
  if (team.size == 1) return;
  const int round = __atomic_load_n(team.barrier + 1, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(team.barrier, 1, __ATOMIC_ACQ_REL) == team.size) {
    __atomic_store_n(team.barrier, 0, __ATOMIC_RELAXED);
    __atomic_store_n(team.barrier + 1, round + 1, __ATOMIC_RELEASE);
    return;
  }
  for (int spins = 0; __atomic_load_n(team.barrier + 1, __ATOMIC_ACQUIRE) == round; ++spins) {
    if (spins > 4000) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

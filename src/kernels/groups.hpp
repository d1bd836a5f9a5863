// A batch over threads: which of them takes which sample, and where its scratch is.
#pragma once

#include <omp.h>

#include <atomic>
#include <vector>

#include "kernels/cpu/plan.hpp"
#include "kernels/memory.hpp"

namespace cvf::kernels {

/// A batch is cut into groups of samples that single threads take, each the next one when it is free.
struct SampleGroup {
  long begin, end;
};

/// Groups of one sample, as many as divide evenly among the threads; the rest is for all threads together.
std::vector<SampleGroup> single_samples(long batch, int threads);

/// More groups than these do not pay: each costs a pass over a buffer of gradients.
int group_limit(int threads);

/// The same samples in at most `most` groups (no fewer than threads), first a large one for each thread, then
/// smaller and smaller ones, with which a thread on a fast core makes up for a slow one. Each group has its
/// own sum of gradients: the groups do not depend on who took them, and so neither does the result.
std::vector<SampleGroup> shrinking_groups(long batch, int threads, int most);

struct Workspaces {  // scratch for `threads` threads
  Workspaces(long shared_floats, long own_floats, int threads)
      : shared(shared_floats),
        own(own_floats),
        memory(make_buffer(static_cast<std::size_t>((shared + own) * threads))) {}
  float* shared_of(int thread) const { return memory.get() + (shared + own) * thread; }
  float* own_of(int thread) const { return shared_of(thread) + shared; }

  long shared, own;
  Buffer memory;
};

/// One sample's turn in a pass.
struct Turn {
  cpu::Team team;
  int thread;
  long sample;
  std::size_t group;  // 0 for samples that all threads share
  bool first;         // of its group
  float* shared;      // scratch of the team
};

/// Each thread takes the next group when it is free, so that one on a slow core takes fewer; then all share
/// the samples behind the groups, one after the other.
template <class Work>
void for_samples(long batch, const std::vector<SampleGroup>& groups, int threads,
                 const Workspaces& workspaces, const Work& work) {
  int barrier[2] = {0, 0};
  std::atomic<std::size_t> next{0};
  const long alone = groups.empty() ? 0 : groups.back().end;
  const auto take = [&](int t, int team) {
    for (std::size_t g = next++; g < groups.size(); g = next++) {
      for (long s = groups[g].begin; s < groups[g].end; ++s)
        work(Turn{{0, 1, nullptr}, t, s, g, s == groups[g].begin, workspaces.shared_of(t)});
    }
    for (long s = alone; s < batch; ++s) {
      if (team > 1) {
#pragma omp barrier
      }
      work(Turn{{t, team, barrier}, t, s, 0, s == 0, workspaces.shared_of(0)});
    }
  };
  if (threads == 1) return take(0, 1);  // nothing of OpenMP is woken
#pragma omp parallel num_threads(threads)
  take(omp_get_thread_num(), omp_get_num_threads());  // fewer than asked for inside another parallel region
}

}  // namespace cvf::kernels

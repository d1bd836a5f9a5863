// Running CPU kernels over a batch: which thread takes which sample, where the scratch is, and what may be
// held for the backward pass.
#pragma once

#include <omp.h>

#include <atomic>
#include <vector>

#include "core/torch.hpp"
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
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    const int team = omp_get_num_threads();  // fewer than asked for inside another parallel region
    for (std::size_t g = next++; g < groups.size(); g = next++) {
      for (long s = groups[g].begin; s < groups[g].end; ++s)
        work(Turn{{0, 1, nullptr}, t, s, g, s == groups[g].begin, workspaces.shared_of(t)});
    }
    for (long s = alone; s < batch; ++s) {
#pragma omp barrier
      work(Turn{{t, team, barrier}, t, s, 0, s == 0, workspaces.shared_of(0)});
    }
  }
}

/// No more threads than can share one sample.
int thread_count(long parts_of_a_sample);

/// Each group of samples has its own sum of weight gradients. Groups that there is workspace for; 0: not even
/// one a thread.
int group_room(int threads, std::size_t bytes_of_a_sum);

/// What a forward pass leaves for its backward pass.
struct Kept {
  bool hidden = true;    // everything; else backward computes some of it again
  torch::Tensor values;  // [B * floats of a sample]
};

/// Bytes that all evaluations waiting for their backward pass may keep in comfort. An evaluation that would
/// exceed it keeps less and computes the rest again.
void set_activation_budget(std::size_t bytes);
std::size_t activation_budget_bytes();

/// `floats` and `fewer_floats` of a sample, with and without the hidden values.
Kept make_kept(std::int64_t batch, long floats, long fewer_floats);

/// Samples of so many floats for each of their evaluations that stay within the budget; a multiple of the
/// threads.
std::int64_t comfortable_rows(long floats, double evaluations);

}  // namespace cvf::kernels

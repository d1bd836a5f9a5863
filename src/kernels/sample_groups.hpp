// How a batch is cut into groups of samples that single threads take, each the next one when it is free.
#pragma once

#include <vector>

namespace cvf::kernels {

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

}  // namespace cvf::kernels

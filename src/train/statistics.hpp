// The normalizer's statistics during training: from a large sample before the first step, then following the
// batches. Ranks that share a batch follow the whole of it.
#pragma once

#include "train/distributed/process_group.hpp"
#include "train/feed.hpp"

namespace cvf::train {

/// From the first rows of epoch 0, at most one epoch; the feed then starts again. Interrupted when a signal
/// reached one of the ranks.
void fit_statistics(normalizers::Normalizer& normalizer, Feed& feed, ProcessGroup& group);

void follow_statistics(normalizers::Normalizer& normalizer, const LocalBatch& local, ProcessGroup& group);

}  // namespace cvf::train

// The normalizer's statistics during training: from a large sample before the first step, then following the
// batches. Ranks that share a batch follow the whole of it.
#pragma once

#include "train/feed.hpp"
#include "train/team/team.hpp"

namespace cvf::train {

/// From the first rows of epoch 0, at most one epoch; the feed then starts again. Interrupted when a signal
/// reached one of the ranks.
void fit_statistics(normalizers::Normalizer& normalizer, Feed& feed, Team& team);

void follow_statistics(normalizers::Normalizer& normalizer, const Portion& portion, Team& team);

}  // namespace cvf::train

// What a page keeps of an evaluation: every score, long lists thinned.
#pragma once

#include "report/folder.hpp"

namespace cvf::report {

/// name -> protocol -> metric -> {value, status, per_frame, parts}, and "trust" and "divergence" as they are;
/// baselines {name -> about, metric}. training: the times of the frames that training saw, where known.
Json scores_of(const Json& evaluations);

/// A cell with its scores, without its run.
Json json_of(const Cell& cell);

}  // namespace cvf::report

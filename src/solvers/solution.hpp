// What came of it: states at the targets, counts, and how each row went.
#pragma once

#include <vector>

#include "core/torch.hpp"
#include "solvers/status.hpp"

namespace cvf::solvers {

/// Evaluations of the velocity and steps of one sample, from its start on.
struct Counts {
  std::int64_t evaluations = 0, accepted = 0, rejected = 0;
};

/// A target: what had been spent when it was reached (or given up), and what happened on the way to it from
/// the target before.
struct TargetRecord {
  Counts counts;
  RowStatus row_status;
};

/// An accepted step: from `time` on. `error` is what the method judged it by (the NRE of gcs, the ratio of
/// error and tolerance of an embedded pair), NaN where it did not.
struct Step {
  double time, step, error;
};

struct Solution {
  torch::Tensor states;             // [B,T,...], NaN where not reached; undefined with a sink
  std::vector<Counts> counts;       // [B]
  std::vector<RowStatus> statuses;  // [B], the worst of the whole way
  std::vector<std::vector<TargetRecord>> target_records;  // [B][targets]
  std::vector<std::vector<Step>> steps;  // [B], accepted steps in order; empty unless asked for
};

}  // namespace cvf::solvers

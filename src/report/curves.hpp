// How a run went, from its journal: metrics.csv and the rarer events of log.jsonl, thinned.
#pragma once

#include <string>

#include "report/json.hpp"

namespace cvf::report {

/// {"train": {"step": [...], "loss": [...], ...}, "validation": {...}, "diagnostics": {...}}: equally long
/// lists of at most `points`. Null when the folder holds no journal.
Json training_curves(const std::string& run, std::size_t points);

}  // namespace cvf::report

// The sections of the document that a page shows, each read from a folder by the file of its name
// (scenes.cpp, curves.cpp, scores.cpp, settings.cpp).
#pragma once

#include <string>

#include "report/folder.hpp"
#include "report/json.hpp"

namespace cvf::report {

/// The forecasts of a folder beside the truth: for each (data, option), evaluation and sample one scene with
/// every method.
///   data, option, evaluation, protocol (both empty: one solve through all times), sample, channels, times,
///   grid [ny, nx] as shown ranges   for each channel {low, high, palette, reach}: colours of states, and
///   -reach .. reach of errors truth    {fields | values, projection}, or null with the reason in `note`
///   methods  [{method, fields | values, errors, rms, projection, steps {time, step, nre}}]
///   explained, note
/// Fields are base64 of bytes [frame][channel][y][x]; vector states are numbers, values[channel][frame].
/// Frames and grids are thinned until all fields together take no more than `bytes` in the page. What cannot
/// be read goes to the folder's notes, the data files that were read to `outside`.
Json scenes_of(Folder& folder, std::size_t bytes);

/// How a run went, from its journal: metrics.csv and the rarer events of log.jsonl, thinned. {"train":
/// {"step": [...], "loss": [...], ...}, "validation": {...}, "diagnostics": {...}}: equally long lists of at
/// most `points`. Null when the folder holds no journal.
Json training_curves(const std::string& run, std::size_t points);

/// What a page keeps of an evaluation: every score, long lists thinned. name -> protocol -> metric -> {value,
/// status, per_frame, parts}, and "trust" and "divergence" as they are; baselines {name -> about, metric}.
/// training: the times of the frames that training saw, where known.
Json scores_of(const Json& evaluations);

/// A cell with its scores, without its run.
Json json_of(const Cell& cell);

/// What the methods of a folder are: [{name, objective, set}]: `set` as study.toml writes it.
Json methods_of(const Folder& folder);

/// What the settings of their runs say differently: [{data, option, keys, values: {method: [text, ...]}}]:
/// the keys of run.toml that are not the same for all methods. A run that cannot be read is left out with a
/// note.
Json differences_of(const Folder& folder, std::vector<std::string>& notes);

}  // namespace cvf::report

// What a run works on, found out before it starts: the data, who trains and who tests, and the spec of the
// model.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "data/source.hpp"
#include "data/splits.hpp"
#include "model/trained_model.hpp"
#include "train/options.hpp"

namespace cvf::train {

using data::data_hash;
using data::open_data;

inline constexpr double usual_seconds = 600;  // that a run may take whose length the run file leaves out

struct RunData {
  std::shared_ptr<const data::Source> source;
  data::Splits splits;
  model::ModelSpec spec;
  std::vector<std::string> notes;  // what the user should know before it starts
};

/// Generates the file if the run says how and it is missing.
void provide_data(RunOptions& options);

/// A DataError for states on more axes than fields take, or on cells that are not evenly spaced.
void check_axes(const data::Description& description);

/// Opens the data, resolves the splits and describes the model. What follows the data (sizes that were left
/// out, "auto", field.boundary = "auto") is written into the options; a run that goes on takes it from its folder, a new one is to
/// take `seconds` at most. Refuses what cannot be trained, with one sentence.
RunData prepare(RunOptions& options, const std::string& folder = "", double seconds = usual_seconds);

// What a run file leaves out and the data decide: the size of the field, the batch, the optimizer and the
// length of a run that ends in minutes on this machine.
//
// Vectors: mlp of 64 or more values, 3 blocks, batches of 128, Muon at 2e-3, 3000 steps. Grids: conv of 32 or
// more channels, one pass through its dilations, Muon at 4e-3 (the rest at 1e-3), and the finest patch and
// largest batch (16, 8, 4) with which 2000 steps or more, 4000 at most, take no longer than some ten minutes.
// What a step takes is counted in operations.

/// "conv" or "mlp", by the file, or by the system that will make it; "auto" when nobody knows yet.
std::string field_for(const RunOptions& options);

/// Sets what the run file left out (RunOptions::left_out). A run that goes on takes what `folder`/run.toml
/// says, whatever this machine would choose. Returns a sentence that says what was chosen; empty: nothing.
/// `seconds`: how long the run may take; `rows`: those of an epoch, which a batch does not exceed.
std::string choose_sizes(RunOptions& options, const model::StateFacts& state, const std::string& folder,
                         double seconds = usual_seconds,
                         std::size_t rows = std::numeric_limits<std::size_t>::max());

}  // namespace cvf::train

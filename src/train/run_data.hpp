// What a run works on, found out before it starts: the data, who trains and who tests, and the spec of the
// model.
#pragma once

#include <cstddef>
#include <functional>
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

/// What the size of a field is chosen by.
struct Sizing {
  double seconds = usual_seconds;                              // that the run may take
  std::size_t rows = std::numeric_limits<std::size_t>::max();  // of an epoch: no batch exceeds them
  /// Seconds of one training step with these options; empty: computed from its operations.
  std::function<double(const RunOptions&)> step_seconds = {};
  /// Fraction of the states' energy in waves shorter than two patches, by the side of a patch; empty:
  /// unknown.
  std::function<double(int)> unresolved = {};
};

struct RunData {
  std::shared_ptr<const data::Source> source;
  data::Splits splits;
  model::ModelSpec spec;
  std::size_t rows = 0;            // of an epoch of training
  std::vector<std::string> notes;  // what the user should know before it starts
};

/// Generates the file if the run says how and it is missing.
void provide_data(RunOptions& options);

/// A DataError for states on more axes than fields take, or on cells that are not evenly spaced.
void check_axes(const data::Description& description);

/// Opens the data, resolves the splits and describes the model. What follows the data (sizes that were left
/// out, "auto", field.boundary = "auto") is written into the options; a run that goes on takes it from its
/// folder, a new one is to take `seconds` at most. Refuses what cannot be trained, with one sentence.
RunData prepare(RunOptions& options, const std::string& folder = "", double seconds = usual_seconds);

// What a run file leaves out and the data decide: the size of the field, the batch, the optimizer and the
// length of a run that ends in minutes on this machine.
//
// Vectors: mlp of 64 or more values, 3 blocks, batches of 128, Muon at 2e-3, 3000 steps. Grids: conv of 32 or
// more channels, one pass through its dilations, Muon at 4e-3 (the rest at 1e-3), and the finest patch with
// which the time is enough for 1000 steps in batches of 4, else the coarsest that resolves the states: at
// most a hundredth of their energy is in waves shorter than two patches. Then the largest batch (16, 8, 4)
// that leaves 2000 steps; 4000 steps at most, in some ten minutes. cvf init measures a step, training
// computes its time from its operations.

/// "conv" or "mlp", by the file, or by the system that will make it; "auto" when nobody knows yet.
std::string field_for(const RunOptions& options);

/// Sets what the run file left out (RunOptions::left_out). A run that goes on takes what `folder`/run.toml
/// says, whatever this machine would choose. Returns a sentence that says what was chosen; empty: nothing.
std::string choose_sizes(RunOptions& options, const model::StateFacts& state, const std::string& folder,
                         const Sizing& sizing = {});

}  // namespace cvf::train

// What a run works on, found out before it starts: the data, who trains and who tests, and the spec of the
// model.
#pragma once

#include <memory>

#include "data/source.hpp"
#include "data/splits.hpp"
#include "model/spec.hpp"
#include "train/choose.hpp"
#include "train/options.hpp"

namespace cvf::train {

struct RunData {
  std::shared_ptr<const data::Source> source;
  data::Splits splits;
  model::ModelSpec spec;
  std::vector<std::string> notes;  // what the user should know before it starts
};

/// Generates the file if the run says how and it is missing.
void provide_data(RunOptions& options);

/// The file as the run sees it: chosen channels, coarsened grid.
std::shared_ptr<const data::Source> open_data(const DataOptions& options);

/// Opens the data, resolves the splits and describes the model. What follows the data (sizes that were left
/// out, "auto") is written into the options; a run that goes on takes it from its folder, a new one is to
/// take `seconds` at most. Refuses what cannot be trained, with one sentence.
RunData prepare(RunOptions& options, const std::string& folder = "", double seconds = usual_seconds);

/// SHA-256 of a data file; of a file beyond 4 GB, of its size and 64 pieces spread over it.
std::string data_hash(const std::string& file);

}  // namespace cvf::train

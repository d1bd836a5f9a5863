// Whether a data file is one that a trained model can be used on.
#pragma once

#include "data/source.hpp"
#include "embed/run_folder.hpp"

namespace cvf::cli {

using embed::open_run;
using embed::RunFolder;

/// A DataError when the file's channels or grid are not those that the model was trained on.
void check_fits(const data::Source& source, const model::TrainedModel& model);

}  // namespace cvf::cli

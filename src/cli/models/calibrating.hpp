// Calibrations on the command line: making them from the right samples, and which of them can be checked.
#pragma once

#include <optional>

#include "cli/opened_run.hpp"
#include "data/splits.hpp"
#include "evaluate/calibrate.hpp"

namespace cvf::cli {

using Samples = std::vector<std::size_t>;

/// Only validation samples calibrate: a sentence names the first that was trained on or is for testing, or
/// says that the file is not the run's own any more.
void refuse_unfit(const data::Splits& splits, const Samples& list, const OpenedRun& run,
                  const std::string& data_file);

/// As many training samples as there are for calibration, for the shape of the bars over time.
Samples shape_samples(const data::Splits& splits, const Samples& list);

void write_calibration(const OpenedRun& run, const solvers::Choice& solver, evaluate::Score score,
                       const std::vector<evaluate::Trial>& trials,
                       const std::vector<evaluate::Trial>& for_shape, const Samples& list,
                       const std::string& solver_words);

/// The error of a step by its NRE and length, learned from these samples and kept beside the model, for
/// solver.tolerance. A field that sees no step has no mean velocity over one, and learns nothing.
void learn_step_errors(OpenedRun& run, const data::Source& source, const Samples& list,
                       const evaluate::Viewing& viewing, bool any_spacing);

/// The calibration that can be checked on these samples, if there is one; why not is said in a note.
std::optional<evaluate::Calibration> calibration_for(const OpenedRun& run, const solvers::Choice& solver,
                                                     double coverage, const data::Splits& splits,
                                                     const Samples& list);

}  // namespace cvf::cli

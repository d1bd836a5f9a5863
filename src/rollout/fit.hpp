// Whether a data file is one for a model, and the file as the model knows it.
#pragma once

#include "data/context.hpp"
#include "data/source.hpp"
#include "rollout/model.hpp"
#include "solvers/solver.hpp"

namespace cvf::rollout {

/// What is wrong with a grid for the model, as model/grid.hpp has it, to go after "FILE: "; empty: nothing.
std::string misfit(const StateSpec& grid, const Facts& model, bool any_spacing);

/// A DataError unless the file's channels are, name by name, those that the model was trained on, and its
/// grid is one that the model can take (see misfit).
void check_fits(const data::Source& source, const Facts& model, bool any_spacing = false);

/// The file as the model knows it. Channels in another order are brought into the model's, and a note says
/// so. `channels`, if any, are the file's names for the model's channels, one by one. `given` stands in for
/// the file's context. A DataError says what does not fit.
std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source, const Facts& model,
                                           const std::vector<std::string>& channels = {},
                                           bool any_spacing = false, const data::GivenContext& given = {});

/// Says, once, that parameters of these samples lie outside what the model saw in training.
void warn_of_extrapolation(const data::Source& source, const Facts& model,
                           std::span<const std::size_t> samples);

/// Those of a source's samples; empty where the model takes none.
SampleContexts contexts_of(const data::Source& source, std::span<const std::size_t> samples);

/// What the solver's defaults take from the model, and what was learned of the errors of its steps.
solvers::Context context_of(const Facts& model,
                            std::shared_ptr<const solvers::StepErrors> step_errors = nullptr);

}  // namespace cvf::rollout

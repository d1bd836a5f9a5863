// A trained model as something that a solver can step, in model units.
#pragma once

#include <span>

#include "data/context.hpp"
#include "data/source.hpp"
#include "model/trained_model.hpp"
#include "solvers/tensors/integrate.hpp"

namespace cvf::rollout {

using normalizers::Physical;

struct Setup {
  const model::TrainedModel& model;
  const solvers::Solver& solver;
  std::size_t memory = std::size_t{512} << 20;  // bytes that one batch of rows may take, about
  bool any_spacing = false;                     // a grid of another spacing than the model's is taken
  const char* kept = nullptr;  // if set, a signal ends the solve: Interrupted, "interrupted; " and this
};

/// The contexts of the samples that are rolled out, one for each; empty: the model takes none.
using SampleContexts = std::vector<SampleContextPointer>;

/// Those of a source's samples; empty where the model takes none.
SampleContexts contexts_of(const data::Source& source, std::span<const std::size_t> samples);

/// In model units, for states [B,C,...]. A DataError for a context that does not fit the model.
model::Contexts contexts_for(const model::TrainedModel& model, const SampleContexts& samples,
                             const torch::Tensor& states);

/// den(psi(s~, u, dt)): the mean velocity of the normalised state. Row i of a solve is the sample rows[i] of
/// the contexts (without `rows`: i itself), and the field of a model of several members is their mean.
/// Refers to the model and the contexts. If the setup hears signals, many rows are evaluated in micro-batches
/// of about a second at most, with a look at the signal before each.
solvers::Velocity velocity_of(const Setup& setup, const model::Contexts& contexts,
                              std::vector<std::int64_t> rows = {});

/// The same where rows[i] counts members: that of member rows[i] % members of sample rows[i] / members.
solvers::Velocity velocity_by_member(const Setup& setup, const model::Contexts& contexts,
                                     std::vector<std::int64_t> rows);

/// A DataError unless the file's channels are, name by name, those that the model was trained on, and its
/// grid is one that the model can take (see misfit).
void check_fits(const data::Source& source, const model::TrainedModel& model, bool any_spacing = false);

/// The file as the model knows it. Channels in another order are brought into the model's, and a note says
/// so. `channels`, if any, are the file's names for the model's channels, one by one. `given` stands in for
/// the file's context. A DataError says what does not fit.
std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source,
                                           const model::TrainedModel& model,
                                           const std::vector<std::string>& channels = {},
                                           bool any_spacing = false, const data::GivenContext& given = {});

/// Says, once, that parameters of these samples lie outside what the model saw in training.
void warn_of_extrapolation(const data::Source& source, const model::TrainedModel& model,
                           std::span<const std::size_t> samples);

/// The names of the model's context, as a data file is asked for it.
data::ContextOptions context_options(const model::ModelSpec& spec);

/// What the solver's defaults take from the model, and what was learned of the errors of its steps.
solvers::Context context_of(const model::TrainedModel& model,
                            std::shared_ptr<const solvers::StepErrors> step_errors = nullptr);

/// Physical states [B,C,...] -> s~ in the field's precision and place. A ModelError for states of another
/// shape than the model's.
torch::Tensor to_model(const model::TrainedModel& model, const Physical& states);

/// s~ [...,C,...] with `leading` axes before the channel -> physical units, in the type of `like`.
Physical to_physical(const model::TrainedModel& model, const torch::Tensor& states, std::int64_t leading,
                     const torch::Tensor& like);

/// How many rows may go together. An estimate: the stages of a solver and the activations of a network come
/// to about a hundred times the state. Solvers that share steps are never divided.
std::size_t micro_batch_rows(const Setup& setup, const torch::Tensor& state);
/// The same in samples, each with a row for every member.
std::size_t micro_batch_samples(const Setup& setup, const torch::Tensor& state);

}  // namespace cvf::rollout

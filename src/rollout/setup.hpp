// A trained model as something that a solver can step, in model units.
#pragma once

#include "data/source.hpp"
#include "model/trained_model.hpp"
#include "solvers/integrate.hpp"

namespace cvf::rollout {

using normalizers::Physical;

struct Setup {
  const model::TrainedModel& model;
  const solvers::Solver& solver;
  bool conditioned = true;                      // false: the field was trained without dt and is shown dt = 0
  std::size_t memory = std::size_t{512} << 20;  // bytes that one batch of rows may take, about
  bool any_spacing = false;                     // a grid of another spacing than the model's is taken
  const char* kept = nullptr;  // if set, a signal ends the solve: Interrupted, "interrupted; " and this
};

/// den(psi(s~, dt)): the mean velocity of the normalised state. Refers to the model.
solvers::Velocity velocity_of(const model::TrainedModel& model, bool conditioned);

/// The same for a solve that hears signals: many rows are evaluated in portions of a second at most, about,
/// with a look at the signal before each.
solvers::Velocity velocity_of(const Setup& setup);

/// A DataError unless the file's channels are, name by name, those that the model was trained on, and its
/// grid is one that the model can take (see misfit).
void check_fits(const data::Source& source, const model::TrainedModel& model, bool any_spacing = false);

/// The file as the model knows it. Channels in another order are brought into the model's, and a note says
/// so. `channels`, if any, are the file's names for the model's channels, one by one. A DataError says what
/// does not fit.
std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source,
                                           const model::TrainedModel& model,
                                           const std::vector<std::string>& channels = {},
                                           bool any_spacing = false);

/// What the solver's defaults take from the model.
solvers::Context context_of(const model::TrainedModel& model);

/// Physical states [B,C,...] -> s~ in the field's precision and place. A ModelError for states of another
/// shape than the model's.
torch::Tensor to_model(const model::TrainedModel& model, const Physical& states);

/// s~ [...,C,...] with `leading` axes before the channel -> physical units, in the type of `like`.
Physical to_physical(const model::TrainedModel& model, const torch::Tensor& states, std::int64_t leading,
                     const torch::Tensor& like);

/// How many rows may go together. An estimate: the stages of a solver and the activations of a network come
/// to about a hundred times the state. Solvers that share steps are never divided.
std::size_t rows_at_once(const Setup& setup, const torch::Tensor& state);

}  // namespace cvf::rollout

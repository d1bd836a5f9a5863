// A trained model as the protocols see it, wherever its numbers are: in the runtime's plain memory
// (runtime_model) or in tensors (tensors/model).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/sample_context.hpp"
#include "model/spec_of.hpp"
#include "rollout/states.hpp"

namespace cvf::rollout {

/// What a model says of the files that it takes.
struct Facts {
  const model::StateFacts& state;
  const model::ContextSpec& context;
  bool any_grid = false;  // other grids than its own are taken, too
  double time_unit = 1;   // see SpecOf::time_unit
};

/// The contexts of the samples that are rolled out, one for each; empty: the model takes none.
using SampleContexts = std::vector<SampleContextPointer>;

/// What a model is asked: states in model units, a step for each, and whose they are.
struct Asked {
  Batch state;
  std::span<const double> dt;             // empty: 0, the tangents
  std::span<const std::int64_t> samples;  // of the contexts
  std::span<const double> begin;          // of the steps; empty where the model takes no context
  std::span<const std::int64_t> members;  // of the model; empty: its only one
};

/// A model on the grid of some states and under the contexts of their samples.
class Stepping {
 public:
  virtual ~Stepping() = default;
  /// From plain memory, physical, to model units in the model's own precision and place; and back.
  virtual Batch to_model(const solvers::States& physical) const = 0;
  virtual void to_physical(const solvers::States& from, solvers::States& physical) const = 0;
  /// den(psi(s~, u, dt)): the mean velocity of the normalised states.
  virtual Batch velocity(const Asked& asked) const = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual Facts facts() const = 0;
  virtual fields::StateShape shape() const = 0;
  virtual std::int64_t members() const = 0;
  virtual bool conditioned() const = 0;                // whether the field sees its step
  virtual double flops() const = 0;                    // of one evaluation of a state on its own grid
  virtual std::vector<double> state_mean() const = 0;  // of each channel, as the normalizer keeps it

  /// For states of these sizes, which fit. Refers to this model. A DataError for a context that does not fit.
  virtual std::unique_ptr<Stepping> on(const Sizes& state, const SampleContexts& contexts) const = 0;
};

using ModelPointer = std::shared_ptr<const Model>;

}  // namespace cvf::rollout

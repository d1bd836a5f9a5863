// A trained model in plain memory: loaded from its folder with the checks of the model room, then never
// changed. Any number of threads may use one at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/spec_of.hpp"
#include "runtime/network.hpp"
#include "runtime/units.hpp"
#include "solvers/solver.hpp"

namespace cvf::runtime {

using Spec = model::SpecOf<Choice>;

class Model {
 public:
  /// A model's folder, or a run's (its best, else its last model). `settings` choose and tune the solver, as
  /// {"solver.name=euler"}; without any, the solver of the run that trained the model. A ModelError with one
  /// sentence for a folder that is missing, damaged, of another format or does not fit its own configuration.
  static Model load(const std::string& folder, const std::vector<std::string>& settings = {});

  /// The same model on another grid, where its field has no positions; dy and dx are the spacings there, 0
  /// where they should not be compared with those of training.
  Model on_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) const;

  const Spec& spec() const { return shared_->spec; }
  const StateSpec& state() const { return state_; }  // on its grid
  const std::string& path() const { return shared_->path; }
  const std::string& checkpoint() const { return shared_->checkpoint; }
  const solvers::Choice& solver_choice() const { return shared_->choice; }
  const solvers::Solver& solver() const { return *shared_->solver; }

  std::size_t channels() const { return shared_->units.mean.size(); }
  std::size_t cells() const { return state_.cells(); }
  std::size_t values() const { return channels() * cells(); }  // of one state

  /// den(psi): the mean velocity of the normalised state.
  void velocity(const Query& query, float* out, int threads) const;

  template <class T>
  void to_model(const T* states, std::size_t rows, float* out) const;
  template <class T>
  void to_physical(const float* states, std::size_t rows, T* out) const;

 private:
  struct Shared {
    Spec spec;
    Units units;
    std::string path, checkpoint;
    solvers::Choice choice = "gcs";
    std::unique_ptr<solvers::Solver> solver;
  };

  std::shared_ptr<const Shared> shared_;
  NetworkPointer network_;
  StateSpec state_;
};

}  // namespace cvf::runtime

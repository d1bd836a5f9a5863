// A trained model in plain memory: loaded from its folder with the checks of the model room, then never
// changed. Any number of threads may use one at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/folder.hpp"
#include "model/spec_of.hpp"
#include "run/solver_of.hpp"
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

  /// The same; nothing for a sound model that has no fast kernels here: of double precision, or of more
  /// blocks than they take.
  static std::optional<Model> load_if_able(const std::string& folder);

  /// The same model on another grid, where its field has no positions; dy and dx are the spacings there, 0
  /// where they should not be compared with those of training.
  Model on_grid(std::int64_t ny, std::int64_t nx, double dy, double dx) const;

  const Spec& spec() const { return shared_->spec; }
  const StateSpec& state() const { return state_; }  // on its grid
  const std::string& path() const { return shared_->path; }
  const std::string& checkpoint() const { return shared_->checkpoint; }
  const std::string& run_toml() const { return shared_->run_toml; }
  const std::string& objective() const { return shared_->habits.objective; }  // empty when unknown
  const std::shared_ptr<const solvers::StepErrors>& step_errors() const { return shared_->step_errors; }
  const Units& units() const { return shared_->units; }
  bool is_double() const { return spec().precision == "float64"; }  // what the networks compute in
  std::size_t members() const {
    return std::visit([](const auto& networks) { return networks.size(); }, networks_);
  }
  bool conditioned() const { return spec().field.settings->conditioned(); }  // its step is an input
  bool any_grid() const {
    return std::visit([](const auto& networks) { return networks.front()->any_grid(); }, networks_);
  }
  double flops() const;  // of one evaluation of a state by all members
  /// Whether error bars go by step doubling, so that forecasts must keep what it takes.
  bool doubles() const { return shared_->doubles; }
  const solvers::Choice& solver_choice() const { return shared_->habits.solver; }
  const solvers::Solver& solver() const { return *shared_->solver; }

  std::size_t channels() const { return shared_->units.mean.size(); }
  std::size_t cells() const { return state_.cells(); }
  std::size_t values() const { return channels() * cells(); }  // of one state

  /// den(psi): the mean velocity of the normalised state, each row by the member that `members` names for it;
  /// empty: by the only one. T is double where is_double(), else float; the same below.
  template <class T>
  void velocity(const QueryOf<T>& query, T* out, int threads,
                std::span<const std::int64_t> members = {}) const;

  /// Between physical states of float or double and those of the model.
  template <class Physical, class T>
  void to_model(const Physical* states, std::size_t rows, T* out) const;
  template <class T, class Physical>
  void to_physical(const T* states, std::size_t rows, Physical* out) const;

 private:
  static Model from(const std::string& path, const model::folder::Files& files, Spec spec,
                    const std::vector<std::string>& settings);
  template <class T>
  void forward(const QueryOf<T>& query, T* out, int threads, std::span<const std::int64_t> members) const;

  struct Shared {
    Spec spec;
    Units units;
    std::string path, checkpoint, run_toml;
    run::Habits habits;  // with the solver that was chosen
    std::shared_ptr<const solvers::StepErrors> step_errors;
    std::unique_ptr<solvers::Solver> solver;
    bool doubles = false;
  };

  std::shared_ptr<const Shared> shared_;
  std::variant<std::vector<NetworkPointer>, std::vector<NetworkPointerOf<double>>>
      networks_;  // of the members
  StateSpec state_;
};

}  // namespace cvf::runtime

// The Greedy Consistency Solver: the field's own rupture chooses the step (paper, alg. grcs and eq.
// step_size_update). A probe of tau compares the straight way with two halves,
//   NRE(s, tau) = |(psi(s, tau/2) + psi(s', tau/2))/2 - psi(s, tau)| / (|psi(s, tau)| + eta),  s' half way,
// and accepts tau when sqrt(delta_min tau / NRE) >= slack tau; otherwise that root is probed next, but
// nothing shorter than delta_min. Psi here is the velocity of the state, den(psi) for a trained field.
#pragma once

#include "solvers/solver.hpp"

namespace cvf::solvers {

enum class Advance { secant, composed };

struct GcsOptions {
  double delta_min = 0;
  double slack = 0.9;
  int max_probes = 32;
  double max_step = -1;
  double warm_start = 0;
  Advance advance = Advance::secant;
  bool probe_floor = false;
  bool literal = false;
  double eta = 1e-8;

  void describe(config::Section& section);
};

class Gcs : public Solver {
 public:
  using Options = GcsOptions;
  /// Takes delta_min and max_step from the context where the options leave them open.
  Gcs(const Options& options, const Context& context);

  std::unique_ptr<Stepper> start() const override;

 private:
  Options options_;
};

}  // namespace cvf::solvers

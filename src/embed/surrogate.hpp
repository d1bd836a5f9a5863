// A trained model inside somebody else's program: load a folder, hand over a state in physical units, get it
// back at a later time, with how far the model trusts itself. Nothing of LibTorch in this header, so a host
// code compiles against it as against any small library. Errors are exceptions (std::runtime_error) of one
// sentence; a step that goes wrong numerically is no exception but an AdvanceResult that was not `reached`.
//
//   auto surrogate = cvf::embed::Surrogate::load("runs/mine", {"solver.name=gcs"});   // which judges its
//   steps std::vector<double> state = ...;                    // state_size() values: [channel][y][x] const
//   auto result = surrogate.advance(state, 0.1);     // in place if (!(result.largest_nre() <= 0.2)) ... //
//   ask the expensive solver instead
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/sample_context.hpp"

namespace cvf::embed {

/// One accepted step. `nre`, the normalised rupture error, compares the step with its two halves: 0 where the
/// field agrees with itself. NaN where the solver did not measure it (every solver but gcs; the usual one is
/// euler).
struct Step {
  double time, length, nre;
};

/// How a state got from one time to a later one.
struct AdvanceResult {
  bool reached = true;           // false: the state was left as it was
  std::string message;           // a sentence; empty when all went well
  std::int64_t evaluations = 0;  // of the network
  std::vector<Step> steps;

  /// The largest NRE of its steps that was measured; NaN when none was.
  double largest_nre() const;
};

class Surrogate {
 public:
  /// A model's folder, or a run's (its `best`, else its `last` model). `settings` choose and tune the solver:
  /// {"solver.name=euler"}, {"solver.slack=1"}; without any, the solver of the run that
  /// trained the model, as its run file has it.
  static Surrogate load(const std::string& folder, const std::vector<std::string>& settings = {});
  Surrogate(Surrogate&&) noexcept;
  Surrogate& operator=(Surrogate&&) noexcept;
  ~Surrogate();

  const std::vector<std::string>& channels() const;
  std::int64_t ny() const, nx() const;  // 1 x 1: the state is a vector of the channels

  /// States are on this grid from now on. A model whose field has no positions takes any grid of the spacing
  /// that it was trained on; dy and dx are yours, 0 where you do not want it checked.
  void use_grid(std::int64_t ny, std::int64_t nx, double dy = 0, double dx = 0);

  /// What the model takes beside the state, by name; and its values from now on, in physical units. Controls
  /// are series over times on a clock of yours: `use_time` says what it shows when the next step begins (0
  /// until you say so; nothing moves it but you).
  ContextNames context() const;
  void use_context(SampleContext context);
  void use_time(double time);

  std::size_t state_size() const;  // channels * ny * nx
  std::size_t members() const;     // networks that were trained together; states are their mean
  double shortest_step() const;    // spacing of the frames that training began with
  double longest_step() const;     // longest step of training: beyond it the field extrapolates
  const std::string& solver() const;

  /// Moves the state dt > 0 ahead, in as many steps as the solver finds right.
  AdvanceResult advance(std::span<double> state, double dt) const;
  AdvanceResult advance(std::span<float> state, double dt) const;

  /// One evaluation: state + dt * psi(state, dt). The cheapest step there is, and nobody checks it; see nre.
  AdvanceResult plain_step(std::span<double> state, double dt) const;
  AdvanceResult plain_step(std::span<float> state, double dt) const;

  /// The NRE that a plain step of dt from here would have: three evaluations, nothing moves.
  double nre(std::span<const double> state, double dt) const;
  double nre(std::span<const float> state, double dt) const;

  /// Goes through all `times` (increasing, counted from the state's own time 0) in one solve and hands each
  /// state over when it is reached.
  using Visit = std::function<void(double time, std::span<const double> state)>;
  AdvanceResult forecast(std::span<const double> state, const std::vector<double>& times,
                         const Visit& visit) const;
  /// The same with the standard deviation over members; empty where there is one.
  using VisitSpread =
      std::function<void(double time, std::span<const double> state, std::span<const double> spread)>;
  AdvanceResult forecast(std::span<const double> state, const std::vector<double>& times,
                         const VisitSpread& visit) const;

 private:
  struct Inside;
  explicit Surrogate(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

/// Threads of every pool that the model uses; 0: all cores. A host with its own threads will want 1.
void use_threads(int count);

}  // namespace cvf::embed

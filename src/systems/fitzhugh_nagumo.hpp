// Integrates the semi-discrete FitzHugh-Nagumo equations from a given state: adaptive Runge-Kutta-Chebyshev
// steps and cubic Hermite output between them, so the steps never depend on which times are asked for.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include "systems/drawn.hpp"
#include "systems/simd/fitzhugh_nagumo.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

/// Vectors that begin on a cache line: a vector load that straddles two lines costs twice.
template <class T>
struct LineAligned {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAligned() = default;
  template <class U>
  LineAligned(const LineAligned<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* at, std::size_t) { ::operator delete(at, line); }
  bool operator==(const LineAligned&) const { return true; }
};

using AlignedVector = std::vector<double, LineAligned<double>>;

enum class Flavour { portable, avx2 };  // of the files under simd/
Flavour best_flavour();

struct FitzHughNagumoKernels {
  void (*step)(const ChebyshevStep&);
  void (*slope)(const FitzHughNagumoGrid&, const double* state, double* slope);
};
FitzHughNagumoKernels kernels_of(Flavour flavour);

/// u_t = du lap(u) + u - u^3 - k - v,  v_t = dv lap(v) + u - v
struct FitzHughNagumo {
  double du = 1e-3, dv = 5e-3, k = 5e-3;
  double rtol = 1e-5, atol = 1e-6;  // for the rms error of one step against the rms of each channel

  static std::vector<Number<FitzHughNagumo>> numbers() {
    return {{"du", &FitzHughNagumo::du, "diffusivity of u", config::at_least(0)},
            {"dv", &FitzHughNagumo::dv, "diffusivity of v", config::at_least(0)},
            {"k", &FitzHughNagumo::k, "constant in the reaction of u", {}}};
  }
};

struct StepCounts {
  int kept = 0, rejected = 0;
  long evaluations = 0;
};

class FitzHughNagumoSolver {
 public:
  FitzHughNagumoSolver(const FitzHughNagumo& equation, GridSize grid, double dy, double dx,
                       Flavour flavour = best_flavour());

  /// Starts from planes [2][ny][nx] at time 0 and hands out a frame at each of `times`. NumericsError if it
  /// blows up.
  StepCounts run(std::span<const double> planes, std::span<const double> times, const FrameSink& sink);

  /// The right-hand side at a state, planes [2][ny][nx]: for checks of stored data against the equations.
  std::vector<double> slope(std::span<const double> planes);

 private:
  struct Norms {
    std::array<double, 2> error{}, square{};  // means over the cells, for u and v
    double largest_square = 0;                // of u
  };

  void load(std::span<const double> planes);
  double first_step() const;
  double longest_step() const;
  double spectral_radius() const;
  double attempt(double h, StepCounts& counts);
  double error_in_tolerances();
  void keep();
  void interpolate(double h, double part, std::span<double> planes) const;

  FitzHughNagumo equation_;
  FitzHughNagumoGrid grid_;
  FitzHughNagumoKernels kernels_;
  AlignedVector state_, slope_, next_state_, next_slope_, ring_, columns_;
  Norms now_, next_;
};

}  // namespace cvf::systems

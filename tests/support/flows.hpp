// Velocities whose truth is known, as plain loops over rows of doubles, and solvers from TOML.
#pragma once

#include <complex>

#include "core/registry.hpp"
#include "solvers/tensors/integrate.hpp"

namespace cvf::test {

inline std::unique_ptr<solvers::Solver> solver(std::string_view name, const std::string& toml = "",
                                               const solvers::Context& context = {}) {
  auto settings = find(solvers::registry(), name, "solver").settings();
  config::Document::from_text(toml, "solver").read([&](config::Section& s) { settings->describe(s); });
  return settings->build(context);
}

/// A velocity from `row(state, dt, out)` over the values of one row.
template <class RowVelocity>
solvers::Velocity by_rows(RowVelocity row) {
  return [row](const torch::Tensor& state, const torch::Tensor& dt) {
    torch::Tensor out = torch::empty_like(state);
    const auto values = state.numel() / state.size(0);
    const double *s = state.data_ptr<double>(), *step = dt.data_ptr<double>();
    double* v = out.data_ptr<double>();
    for (std::int64_t r = 0; r < state.size(0); ++r) row(s + r * values, step[r], v + r * values);
    return out;
  };
}

/// The tangent field of an equation of systems/equations.hpp: blind for dt.
template <class Equation>
solvers::Velocity tangent_of(Equation equation) {
  return by_rows([equation](const double* s, double, double* out) { equation.slope(s, out); });
}

/// z' = rate z for a complex z = (s0, s1): a linear system with a closed form.
struct Spiral {
  std::complex<double> rate{-0.3, 2};

  void slope(const double* s, double* out) const { secant(s, 0, out); }
  void flow(const double* s, double dt, double* out) const {
    const auto z = std::exp(rate * dt) * std::complex(s[0], s[1]);
    out[0] = z.real(), out[1] = z.imag();
  }
  void secant(const double* s, double dt, double* out) const {
    const auto mean = dt == 0 ? rate : (std::exp(rate * dt) - 1.0) / dt;
    const auto v = mean * std::complex(s[0], s[1]);
    out[0] = v.real(), out[1] = v.imag();
  }
};

/// z' = (1 + i - |z|^2) z: everything winds onto the unit circle, |z|^2 = 1/(1 + (1/|z0|^2 - 1) e^(-2t)).
struct Circle {
  void slope(const double* s, double* out) const {
    const double grow = 1 - s[0] * s[0] - s[1] * s[1];
    out[0] = grow * s[0] - s[1];
    out[1] = grow * s[1] + s[0];
  }
  void flow(const double* s, double dt, double* out) const {
    const std::complex z(s[0], s[1]);
    const double r = 1 / std::sqrt(1 + (1 / std::norm(z) - 1) * std::exp(-2 * dt));
    const auto end = std::polar(r, std::arg(z) + dt);
    out[0] = end.real(), out[1] = end.imag();
  }
  void secant(const double* s, double dt, double* out) const {
    if (dt == 0) return slope(s, out);
    flow(s, dt, out);
    for (int i = 0; i < 2; ++i) out[i] = (out[i] - s[i]) / dt;
  }
};

template <class Flow>
solvers::Velocity secant_of(Flow flow) {
  return by_rows([flow](const double* s, double dt, double* out) { flow.secant(s, dt, out); });
}

template <class Flow>
torch::Tensor after(const Flow& flow, const torch::Tensor& start, double dt) {
  torch::Tensor out = torch::empty_like(start);
  for (std::int64_t r = 0; r < start.size(0); ++r) {
    flow.flow(start.data_ptr<double>() + 2 * r, dt, out.data_ptr<double>() + 2 * r);
  }
  return out;
}

inline torch::Tensor some_states(std::int64_t rows, std::int64_t values = 2) {
  return 0.5 + torch::rand({rows, values}, torch::kDouble);
}

inline double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace cvf::test

// Objectives from TOML, small batches, and fields whose truth is known.
#pragma once

#include "core/registry.hpp"
#include "fields/field.hpp"
#include "objectives/objective.hpp"

namespace cvf::test {

inline std::unique_ptr<objectives::Objective> objective(std::string_view name, const std::string& toml = "") {
  auto settings = find(objectives::registry(), name, "objective").settings();
  config::Document::from_text(toml, "objective").read([&](config::Section& s) { settings->describe(s); });
  return settings->build();
}

/// den(psi) = psi: model units are physical units.
inline std::unique_ptr<normalizers::Normalizer> no_scaling(std::int64_t channels) {
  return find(normalizers::registry(), "single", "normalizer").make(channels, {});
}

/// One with numbers that show when they are forgotten.
inline std::unique_ptr<normalizers::Normalizer> some_scaling(std::int64_t channels) {
  auto out = find(normalizers::registry(), "cascaded", "normalizer").make(channels, {});
  const auto i = torch::arange(channels, torch::kDouble);
  out->load({{"state_mean", 0.1 * i},
             {"state_variance", 1 + 0.3 * i},
             {"velocity_mean", 0.2 - 0.3 * i},
             {"velocity_variance", 0.5 + 0.2 * i}});
  return out;
}

/// The exact mean velocity of ds/dt = A s, states [B,C]: psi(s, dt) = (expm(A dt) - I)/dt s, also at dt = 0
/// and looking back. A is a parameter, so the field can be trained away from the truth.
struct LinearFlow : fields::VelocityField {
  torch::Tensor matrix;

  explicit LinearFlow(const torch::Tensor& a)
      : VelocityField({a.size(0), 0, 0, 1.0}), matrix(register_parameter("matrix", a.clone())) {}

  // The upper right block of expm([[A dt, A], [0, 0]]) is A (expm(A dt) - I)/(A dt), without any division.
  torch::Tensor forward(const torch::Tensor& state, const torch::Tensor& dt) override {
    const auto h = dt.to(matrix.dtype()).view({-1, 1, 1});
    const auto upper = torch::cat({matrix * h, matrix.expand({dt.size(0), -1, -1})}, 2);
    const auto block = torch::cat({upper, torch::zeros_like(upper)}, 1);
    const auto mean =
        torch::matrix_exp(block).narrow(1, 0, matrix.size(0)).narrow(2, matrix.size(0), matrix.size(0));
    return torch::matmul(mean, state.unsqueeze(2)).squeeze(2);
  }
  double flops() const override { return 0; }

  /// The true state after dt.
  torch::Tensor after(const torch::Tensor& state, const torch::Tensor& dt) {
    const torch::NoGradGuard no_grad;
    return state + dt.view({-1, 1}) * forward(state, dt);
  }
};

/// A field whose answer is one free vector, whatever it is asked.
struct ConstantField : fields::VelocityField {
  torch::Tensor value;

  explicit ConstantField(std::int64_t channels)
      : VelocityField({channels, 0, 0, 1.0}),
        value(register_parameter("value", torch::zeros({channels}, torch::kDouble))) {}
  torch::Tensor forward(const torch::Tensor& state, const torch::Tensor&) override {
    return value.expand_as(state);
  }
  double flops() const override { return 0; }
};

}  // namespace cvf::test

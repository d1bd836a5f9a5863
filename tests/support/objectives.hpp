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
  using VelocityField::forward;
  torch::Tensor forward(const fields::Query& query) override {
    const auto& [state, dt, context] = query;
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

/// The exact mean velocity of ds/dt = A s + B u(t), states [B,C], where u is the polynomial through the nodes
/// of the step, and B a parameter of each row if the context has one (else 1 for every component).
struct ForcedFlow : fields::VelocityField {
  torch::Tensor matrix;

  ForcedFlow(const torch::Tensor& a, std::int64_t nodes) : VelocityField(shape_of(a, nodes)), matrix(a) {}

  static fields::StateShape shape_of(const torch::Tensor& a, std::int64_t nodes) {
    fields::StateShape out{a.size(0), 0, 0, 1.0};
    out.controls = 1;
    out.nodes = nodes;
    return out;
  }

  // (s, u, u', u'') is a linear system of its own; its secant is that of LinearFlow.
  using VelocityField::forward;
  torch::Tensor forward(const fields::Query& query) override {
    check(query);
    const auto& [state, dt, context] = query;
    const auto n = matrix.size(0), order = context.controls.size(1);
    auto whole = torch::zeros({n + order, n + order}, torch::kDouble);
    whole.narrow(0, 0, n).narrow(1, 0, n).copy_(matrix);
    whole.narrow(0, 0, n).select(1, n).fill_(1);
    for (std::int64_t i = 0; i + 1 < order; ++i) whole[n + i][n + i + 1] = 1;
    LinearFlow flow(whole);
    return flow.forward(torch::cat({state, derivatives(context.controls.squeeze(2), dt)}, 1), dt)
        .narrow(1, 0, n);
  }
  double flops() const override { return 0; }

  // u, u', u'' at the beginning of the step.
  static torch::Tensor derivatives(const torch::Tensor& u, const torch::Tensor& dt) {
    const auto still = dt == 0;
    const auto h = torch::where(still, torch::ones_like(dt), dt);
    std::vector<torch::Tensor> out{u.select(1, 0)};
    if (u.size(1) == 2) out.push_back((u.select(1, 1) - u.select(1, 0)) / h);
    if (u.size(1) == 3) {
      const auto a = u.select(1, 0), b = u.select(1, 1), c = u.select(1, 2);
      out.push_back((4 * b - 3 * a - c) / h);
      out.push_back(4 * (a - 2 * b + c) / (h * h));
    }
    return torch::stack(out, 1);
  }
};

/// A field whose answer is one free vector, whatever it is asked.
struct ConstantField : fields::VelocityField {
  torch::Tensor value;

  explicit ConstantField(std::int64_t channels)
      : VelocityField({channels, 0, 0, 1.0}),
        value(register_parameter("value", torch::zeros({channels}, torch::kDouble))) {}
  using VelocityField::forward;
  torch::Tensor forward(const fields::Query& query) override { return value.expand_as(query.state); }
  double flops() const override { return 0; }
};

}  // namespace cvf::test

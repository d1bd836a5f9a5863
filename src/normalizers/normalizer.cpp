#include "normalizers/normalizer.hpp"

#include <type_traits>

#include "core/errors.hpp"
#include "core/scores.hpp"

namespace cvf::normalizers {

using torch::Tensor;

Model Normalizer::to_model(const Physical& s) const {
  return {(s.value - per_channel(state_.mean, s.value)) / per_channel(sigma_state(), s.value)};
}

Physical Normalizer::to_physical(const Model& s) const {
  return {s.value * per_channel(sigma_state(), s.value) + per_channel(state_.mean, s.value)};
}

Tensor Normalizer::model_velocity(const Tensor& psi) const {
  const Affine d = den();
  return psi * per_channel(d.factor, psi) + per_channel(d.offset, psi);
}

Physical Normalizer::physical_velocity(const Tensor& psi) const {
  return {model_velocity(psi) * per_channel(sigma_state(), psi)};
}

Tensor Normalizer::psi_of(const Tensor& v) const {
  const Affine d = den();
  return (v - per_channel(d.offset, v)) / per_channel(d.factor, v);
}

Tensor Normalizer::target(const Physical& v) const {
  return psi_of(rate(v).value);
}

Model Normalizer::rate(const Physical& v) const {
  return {v.value / per_channel(sigma_state(), v.value)};
}

Tensor Normalizer::nre(const Tensor& rupture, const Tensor& velocity) const {
  return cvf::nre(rupture, velocity, nre_eta / options_.time_unit);
}

Tensor Normalizer::sigma_state() const {
  const Tensor mean = state_.mean.contiguous(), variance = state_.variance.contiguous();
  Tensor out = torch::empty_like(mean);
  for (std::int64_t c = 0; c < out.numel(); ++c)
    out.data_ptr<double>()[c] =
        state_deviation(variance.data_ptr<double>()[c], mean.data_ptr<double>()[c], options_);
  return out;
}

Normalizer::Measured Normalizer::measure(const Physical& states, const Physical& velocities) const {
  const Tensor form = measured(velocities.value);
  return {Moments::of(states.value), form.defined() ? Moments::of(form) : velocity_};
}

void Normalizer::fit(const Moments& states) {
  state_ = states;
}

void Normalizer::fit(const Measured& measured) {
  state_ = measured.state;
  velocity_ = measured.velocity;
}

void Normalizer::fit(const Physical& states, const Physical& velocities) {
  fit(Moments::of(states.value));
  fit(measure(states, velocities));
}

void Normalizer::follow(const Measured& measured) {
  state_.follow(measured.state, options_.decay);
  velocity_.follow(measured.velocity, options_.decay);
}

NamedTensors Normalizer::state() const {
  return {{"state_mean", state_.mean},
          {"state_variance", state_.variance},
          {"velocity_mean", velocity_.mean},
          {"velocity_variance", velocity_.variance}};
}

void Normalizer::load(const NamedTensors& tensors) {
  const auto take = [&](std::string_view name, Tensor& into) {
    for (const auto& [key, tensor] : tensors) {
      if (key != name) continue;
      if (!tensor.sizes().equals(into.sizes())) {
        throw ModelError("the normalizer's {} has {} values, not {}", name, tensor.numel(), into.numel());
      }
      into = tensor.to(torch::kCPU, torch::kDouble).clone();
      return;
    }
    throw ModelError("the normalizer's {} is missing", name);
  };
  take("state_mean", state_.mean);
  take("state_variance", state_.variance);
  take("velocity_mean", velocity_.mean);
  take("velocity_variance", velocity_.variance);
}

Physical secant(const Physical& s0, const Physical& s1, const Tensor& dt) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(s0.value.dim()), 1);
  shape[0] = -1;
  return {(s1.value - s0.value) / dt.view(shape)};
}

namespace {

// The three kinds on tensors.
template <class Kind>
struct Of : Normalizer {
  using Normalizer::Normalizer;
  Affine den() const override {
    const Tensor sigma = sigma_state(), variance = velocity_.variance.contiguous();
    Tensor sigma_velocity = torch::empty_like(sigma);
    for (std::int64_t c = 0; c < sigma.numel(); ++c)
      sigma_velocity.data_ptr<double>()[c] = velocity_deviation(
          variance.data_ptr<double>()[c], Kind::unit(sigma.data_ptr<double>()[c]), options());
    return Kind::den(sigma, velocity_.mean, sigma_velocity);
  }
  Tensor measured(const Tensor& v) const override {
    if constexpr (std::is_same_v<Kind, CascadedKind>) return v / per_channel(sigma_state(), v);
    if constexpr (std::is_same_v<Kind, SeparatedKind>) return v;
    return {};
  }
};

template <class Kind>
Row row() {
  return {Kind::name, Kind::summary,
          [](std::int64_t channels, const Options& options) -> std::unique_ptr<Normalizer> {
            return std::make_unique<Of<Kind>>(channels, options);
          }};
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{row<CascadedKind>(), row<SeparatedKind>(), row<SingleKind>()};
  return rows;
}

}  // namespace cvf::normalizers

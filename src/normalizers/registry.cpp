// The three kinds; each is two short functions.
#include "normalizers/normalizer.hpp"

namespace cvf::normalizers {
namespace {

using torch::Tensor;

// den(psi) = sigma_v psi + mu_v with the moments of v/sigma_s
struct Cascaded : Normalizer {
  using Normalizer::Normalizer;
  Affine den() const override { return {sigma_velocity(), velocity_.mean}; }
  Tensor measured(const Tensor& v) const override { return v / per_channel(sigma_state(), v); }
};

// den(psi) = (sigma'_v psi + mu'_v)/sigma_s with the moments of v itself
struct Separated : Normalizer {
  using Normalizer::Normalizer;
  Affine den() const override { return {sigma_velocity() / sigma_state(), velocity_.mean / sigma_state()}; }
  Tensor measured(const Tensor& v) const override { return v; }
};

// den(psi) = psi: the state's statistics only
struct Single : Normalizer {
  using Normalizer::Normalizer;
  Affine den() const override { return {torch::ones_like(state_.mean), torch::zeros_like(state_.mean)}; }
  Tensor measured(const Tensor&) const override { return {}; }
};

template <class Kind>
std::unique_ptr<Normalizer> make(std::int64_t channels, const Options& options) {
  return std::make_unique<Kind>(channels, options);
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"cascaded", "velocity statistics of v/sigma_s, on top of the state's", make<Cascaded>},
      {"separated", "velocity statistics of v itself, independent of the state's", make<Separated>},
      {"single", "the state's statistics only", make<Single>},
  };
  return rows;
}

}  // namespace cvf::normalizers

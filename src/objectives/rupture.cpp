#include "objectives/rupture.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

struct Triangle {
  Tensor rupture, hypotenuse;
};

// psi(s, U) and psi(s, a_0 U) share one forward pass.
Triangle close(const View& view, const Tensor& state, const Tensor& span, const Tensor& shares) {
  const auto psi = view.psi({{state, span}, {state, shares[0] * span}});
  return {walk(view, state, span, shares, psi[1], shares.size(0)) - psi[0], psi[0]};
}

// (d psi/d s)(s, dt) . direction. The vector-Jacobian product is linear in its vector, so its own gradient
// with respect to that vector is the Jacobian-vector product.
Tensor directional_derivative(const View& view, const Tensor& state, const Tensor& dt,
                              const Tensor& direction) {
  const torch::AutoGradMode grad_on(true);
  const Tensor s = state.detach().requires_grad_();
  const Tensor psi = view.psi(s, dt);
  const Tensor vector = torch::zeros_like(psi).requires_grad_();
  const auto pulled = torch::autograd::grad({psi}, {s}, {vector}, true, true, true)[0];
  if (!pulled.defined() || !pulled.requires_grad()) return torch::zeros_like(state);  // blind to the state
  return torch::autograd::grad({pulled}, {vector}, {direction.detach()})[0].detach();
}

// Where the legs before leg i lead when all of them start at s, for i = 1..: U sum_{j<i} a_j den(psi_j)
Tensor straight_ways(const View& view, const std::vector<Tensor>& psi, const Tensor& span,
                     const Tensor& shares) {
  std::vector<Tensor> ways;
  Tensor way = torch::zeros_like(psi[0]);
  for (std::size_t j = 0; j + 1 < psi.size(); ++j) {
    way = view.advance(way, shares[static_cast<std::int64_t>(j)] * span, psi[j]);
    ways.push_back(way);
  }
  return torch::cat(ways);
}

Tensor row_norm(const Tensor& values) {
  return values.flatten(1).norm(2, 1);
}

}  // namespace

Tensor even_shares(std::int64_t legs, std::int64_t rows) {
  return torch::full({legs, rows}, 1.0 / static_cast<double>(legs), torch::kDouble);
}

Tensor walk(const View& view, const Tensor& state, const Tensor& span, const Tensor& shares,
            const Tensor& first, std::int64_t legs) {
  Tensor s = state, psi = first, sum = per_row(shares[0], first) * first;
  for (std::int64_t i = 1; i < legs; ++i) {
    s = view.advance(s, shares[i - 1] * span, psi);
    psi = view.psi(s, shares[i] * span);
    sum = sum + per_row(shares[i], psi) * psi;
  }
  return sum;
}

Tensor rupture(const View& view, const Tensor& state, const Tensor& span, const Tensor& shares) {
  return close(view, state, span, shares).rupture;
}

RuptureTerms rupture_terms(const View& view, const Tensor& state, const Tensor& span, const Tensor& shares) {
  const torch::NoGradGuard no_grad;
  const auto legs = shares.size(0);
  std::vector<Question> questions{{state, span}};
  for (std::int64_t i = 0; i < legs; ++i) questions.push_back({state, shares[i] * span});
  auto psi = view.psi(questions);
  const Tensor whole = psi.front();
  psi.erase(psi.begin());

  RuptureTerms out;
  out.total = walk(view, state, span, shares, psi[0], legs) - whole;
  out.mismatch = -whole;
  for (std::int64_t i = 0; i < legs; ++i)
    out.mismatch += per_row(shares[i], whole) * psi[static_cast<std::size_t>(i)];

  const auto later = shares.narrow(0, 1, legs - 1);  // the first leg starts at s: no curvature
  const Tensor states = torch::cat(std::vector<Tensor>(static_cast<std::size_t>(legs - 1), state));
  const Tensor bent =
      directional_derivative(view, states, (later * span).flatten(), straight_ways(view, psi, span, shares));
  auto shape = state.sizes().vec();
  shape.insert(shape.begin(), legs - 1);
  out.curvature = (per_row(later.flatten(), bent) * bent).view(shape).sum(0);
  out.remainder = out.total - out.mismatch - out.curvature;
  return out;
}

Tensor normalised_rupture_error(const View& view, const Tensor& state, const Tensor& tau) {
  const auto [rupture, hypotenuse] = close(view, state, tau, even_shares(2, state.size(0)));
  // den is affine and the shares sum to 1, so den of the legs minus den of the long side is
  // den(R) - den(0).
  const Tensor velocity = view.normalizer.model_velocity(hypotenuse);
  const Tensor difference =
      view.normalizer.model_velocity(rupture) - view.normalizer.model_velocity(torch::zeros_like(rupture));
  return row_norm(difference) / (row_norm(velocity) + 1e-8);
}

}  // namespace cvf::objectives

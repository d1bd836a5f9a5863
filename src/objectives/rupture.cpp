#include "objectives/rupture.hpp"

#include "core/scores.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

struct Triangle {
  Tensor rupture, hypotenuse;
};

// psi(s, U) and psi(s, a_0 U) share one forward pass.
Triangle close(const ScaledField& field, const Tensor& state, const Tensor& span, const Tensor& shares,
               const Place& place) {
  const Tensor start = torch::zeros_like(span), first = shares[0] * span;
  const auto psi =
      field.psi({{state, span, place.part(start, span)}, {state, first, place.part(start, first)}});
  return {walk(field, state, span, shares, psi[1], shares.size(0), place) - psi[0], psi[0]};
}

// (d psi/d s)(s, dt) . direction. The vector-Jacobian product is linear in its vector, so its own gradient
// with respect to that vector is the Jacobian-vector product.
Tensor directional_derivative(const ScaledField& field, const fields::Query& query, const Tensor& direction) {
  const torch::AutoGradMode grad_on(true);
  const Tensor s = query.state.detach().requires_grad_();
  const Tensor psi = field.psi({s, query.dt, query.context});
  const Tensor vector = torch::zeros_like(psi).requires_grad_();
  const auto pulled = torch::autograd::grad({psi}, {s}, {vector}, true, true, true)[0];
  if (!pulled.defined() || !pulled.requires_grad()) return torch::zeros_like(s);  // blind to the state
  return torch::autograd::grad({pulled}, {vector}, {direction.detach()})[0].detach();
}

// Where the legs before leg i lead when all of them start at s, for i = 1..: U sum_{j<i} a_j den(psi_j)
Tensor straight_ways(const ScaledField& field, const std::vector<Tensor>& psi, const Tensor& span,
                     const Tensor& shares) {
  std::vector<Tensor> ways;
  Tensor way = torch::zeros_like(psi[0]);
  for (std::size_t j = 0; j + 1 < psi.size(); ++j) {
    way = field.advance(way, shares[static_cast<std::int64_t>(j)] * span, psi[j]);
    ways.push_back(way);
  }
  return torch::cat(ways);
}

Tensor row_norm(const Tensor& values) {
  return values.flatten(1).norm(2, 1);
}

}  // namespace

fields::Context Place::part(const Tensor& from, const Tensor& to) const {
  if (!begin.defined()) return interval.part(from, to);
  return interval.part(begin + from, begin + to);
}

Tensor even_shares(std::int64_t legs, std::int64_t rows) {
  return torch::full({legs, rows}, 1.0 / static_cast<double>(legs), torch::kDouble);
}

Tensor walk(const ScaledField& field, const Tensor& state, const Tensor& span, const Tensor& shares,
            const Tensor& first, std::int64_t legs, const Place& place) {
  Tensor s = state, psi = first, sum = per_row(shares[0], first) * first, time = torch::zeros_like(span);
  for (std::int64_t i = 1; i < legs; ++i) {
    const Tensor step = shares[i] * span;
    s = field.advance(s, shares[i - 1] * span, psi);
    time = time + shares[i - 1] * span;
    psi = field.psi({s, step, place.part(time, time + step)});
    sum = sum + per_row(shares[i], psi) * psi;
  }
  return sum;
}

Tensor rupture(const ScaledField& field, const Tensor& state, const Tensor& span, const Tensor& shares,
               const Place& place) {
  return close(field, state, span, shares, place).rupture;
}

RuptureTerms rupture_terms(const ScaledField& field, const Tensor& state, const Tensor& span,
                           const Tensor& shares, const Place& place) {
  const torch::NoGradGuard no_grad;
  const auto legs = shares.size(0);
  std::vector<fields::Query> queries{{state, span, place.part(torch::zeros_like(span), span)}};
  Tensor time = torch::zeros_like(span);
  for (std::int64_t i = 0; i < legs; ++i) {
    const Tensor end = time + shares[i] * span;
    queries.push_back({state, shares[i] * span, place.part(time, end)});
    time = end;
  }
  auto psi = field.psi(queries);
  const Tensor whole = psi.front();
  psi.erase(psi.begin());

  RuptureTerms out;
  out.total = walk(field, state, span, shares, psi[0], legs, place) - whole;
  out.mismatch = -whole;
  for (std::int64_t i = 0; i < legs; ++i)
    out.mismatch += per_row(shares[i], whole) * psi[static_cast<std::size_t>(i)];

  const auto later = shares.narrow(0, 1, legs - 1);  // the first leg starts at s: no curvature
  const Tensor states = torch::cat(std::vector<Tensor>(static_cast<std::size_t>(legs - 1), state));
  std::vector<fields::Context> contexts;
  for (auto query = queries.begin() + 2; query != queries.end(); ++query) contexts.push_back(query->context);
  const Tensor bent =
      directional_derivative(field, {states, (later * span).flatten(), fields::Context::cat(contexts)},
                             straight_ways(field, psi, span, shares));
  auto shape = state.sizes().vec();
  shape.insert(shape.begin(), legs - 1);
  out.curvature = (per_row(later.flatten(), bent) * bent).view(shape).sum(0);
  out.remainder = out.total - out.mismatch - out.curvature;
  return out;
}

Tensor normalised_rupture_error(const ScaledField& field, const Tensor& state, const Tensor& tau,
                                const Place& place) {
  const auto [rupture, hypotenuse] = close(field, state, tau, even_shares(2, state.size(0)), place);
  // den is affine and the shares sum to 1, so den of the legs minus den of the long side is
  // den(R) - den(0).
  const Tensor velocity = field.normalizer.model_velocity(hypotenuse);
  const Tensor difference =
      field.normalizer.model_velocity(rupture) - field.normalizer.model_velocity(torch::zeros_like(rupture));
  return field.normalizer.nre(row_norm(difference), row_norm(velocity));
}

}  // namespace cvf::objectives

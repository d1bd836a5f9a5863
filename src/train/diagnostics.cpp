#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "objectives/rupture.hpp"
#include "train/validation.hpp"

namespace cvf::train {
namespace {

using torch::Tensor;
constexpr std::int64_t most_rows = 8;

void add_quantiles(Numbers& out, const std::string& name, const Tensor& values) {
  const Tensor sorted = std::get<0>(values.to(torch::kDouble).sort());
  const auto last = static_cast<double>(sorted.numel() - 1);
  for (const int percent : {10, 50, 90}) {
    const auto at = static_cast<std::int64_t>(0.01 * percent * last + 0.5);
    out.emplace_back(fmt::format("{}_{}", name, percent), sorted[at].item<double>());
  }
}

double length(const Tensor& t) {
  return t.detach().to(torch::kDouble).norm().item<double>();
}

}  // namespace

Numbers diagnose(const objectives::ScaledField& field, const objectives::Batch& batch, double dt_ref) {
  const auto rows = std::min(most_rows, batch.rows());
  const Tensor state = batch.state(0).narrow(0, 0, rows).detach();
  const Tensor dt = batch.step(0).narrow(0, 0, rows);
  const objectives::Place place{{batch.context(0).rows(0, rows), dt}};
  Numbers out;
  const auto terms = objectives::rupture_terms(field, state, dt, objectives::even_shares(2, rows), place);
  const double first = length(terms.mismatch), second = length(terms.curvature),
               rest = length(terms.remainder);
  out.emplace_back("rupture_rms", length(terms.total) / std::sqrt(static_cast<double>(terms.total.numel())));
  out.emplace_back("term_1_share", first / (first + second + rest));
  out.emplace_back("term_2_share", second / (first + second + rest));
  const torch::NoGradGuard no_gradients;
  for (const auto& [word, factor] : {std::pair{"quarter", 0.25}, {"half", 0.5}, {"one", 1.0}, {"two", 2.0}}) {
    const Tensor tau = torch::full_like(dt, factor * dt_ref);
    add_quantiles(out, fmt::format("nre_{}", word),
                  objectives::normalised_rupture_error(field, state, tau, place));
  }
  return out;
}

}  // namespace cvf::train

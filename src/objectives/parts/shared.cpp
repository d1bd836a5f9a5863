#include "objectives/parts/shared.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace cvf::objectives {
namespace {

// Calls visit(row, stream) with the row's own stream of this name.
template <class Visit>
void for_each_row(const DrawRange& range, std::string_view name, Visit&& visit) {
  for (std::int64_t row = 0; row < range.rows; ++row) {
    RandomStream stream(range.seed, name, range.first_row + static_cast<std::uint64_t>(row));
    visit(row, stream);
  }
}

// The gaps between every c-th of n*c - 1 sorted uniform numbers are Dirichlet(c, ..., c) in n parts.
std::vector<double> gaps(RandomStream& stream, std::size_t parts, std::size_t concentration) {
  std::vector<double> cuts(parts * concentration - 1);
  for (auto& cut : cuts) cut = stream.uniform();
  std::sort(cuts.begin(), cuts.end());
  std::vector<double> out(parts);
  double left = 0;
  for (std::size_t i = 0; i + 1 < parts; ++i) {
    const double right = cuts[(i + 1) * concentration - 1];
    out[i] = right - left;
    left = right;
  }
  out.back() = 1 - left;
  return out;
}

}  // namespace

void describe_spline(config::Section& section, std::string_view name, Spline& spline, bool with_none) {
  static constexpr std::pair<std::string_view, Spline> kinds[]{
      {"none", Spline::none}, {"cubic", Spline::cubic}, {"quintic", Spline::quintic}};
  section.choice<Spline>(name, spline, std::span(kinds).subspan(with_none ? 0 : 1),
                         "the curve through the observed frames whose velocity is learnt");
}

void describe_conditioned(config::Section& section, bool& conditioned) {
  section.key("conditioned", &conditioned, "true: the field sees dt; false: it is asked with dt = 0");
}

torch::Tensor shown(bool conditioned, const torch::Tensor& dt) {
  return conditioned ? dt : torch::zeros_like(dt);
}

torch::Tensor draw_shares(const DrawRange& range, int parts, Cut cut) {
  if (cut == Cut::even) return torch::full({parts, range.rows}, 1.0 / parts, torch::kDouble);
  torch::Tensor out = torch::empty({parts, range.rows}, torch::kDouble);
  auto values = out.accessor<double, 2>();
  for_each_row(range, "objective.shares", [&](std::int64_t row, RandomStream& stream) {
    const auto drawn = gaps(stream, static_cast<std::size_t>(parts), cut == Cut::beta ? 2 : 1);
    for (int i = 0; i < parts; ++i) values[i][row] = drawn[static_cast<std::size_t>(i)];
  });
  return out;
}

torch::Tensor draw_points(const DrawRange& range) {
  torch::Tensor out = torch::empty({range.rows}, torch::kDouble);
  auto values = out.accessor<double, 1>();
  for_each_row(range, "objective.points",
               [&](std::int64_t row, RandomStream& stream) { values[row] = stream.uniform(); });
  return out;
}

torch::Tensor draw_spans(const DrawRange& range, double probability, double shortest) {
  torch::Tensor out = torch::empty({range.rows}, torch::kDouble);
  auto values = out.accessor<double, 1>();
  for_each_row(range, "objective.spans", [&](std::int64_t row, RandomStream& stream) {
    const bool scaled = stream.uniform() < probability;
    const double u = scaled ? stream.uniform() : 1.0;
    values[row] = scaled && shortest > 0 ? std::pow(shortest, 1 - u) : u;
  });
  return out;
}

torch::Tensor draw_closed(const DrawRange& range, double share) {
  if (share == 1) return {};
  torch::Tensor out = torch::empty({range.rows}, torch::kDouble);
  auto values = out.accessor<double, 1>();
  const auto before = [&](std::int64_t row) {  // how many of the run's rows before this one
    return std::ceil(static_cast<double>(range.first_row + static_cast<std::uint64_t>(row)) * share);
  };
  for (std::int64_t row = 0; row < range.rows; ++row) values[row] = before(row + 1) - before(row);
  return out;
}

void describe_closed(config::Section& section, double& share) {
  section.key("rows", &share,
              "share of the rows of a batch that have a rupture; the others fit their secant only",
              config::between(1e-3, 1));
}

ClosedRows::ClosedRows(const Batch& whole, const Draws& drawn, double share) : batch(whole), draws(drawn) {
  if (!drawn.closed.defined()) return;
  numbers = drawn.closed.nonzero().flatten();
  batch = whole.select(numbers);
  draws = drawn.select(numbers);
  weight = static_cast<double>(numbers.numel()) / (share * static_cast<double>(whole.rows()));
}

std::pair<torch::Tensor, torch::Tensor> draw_free(const DrawRange& range, double probability,
                                                  const torch::Tensor& shares) {
  std::pair out{torch::empty({range.rows}, torch::kDouble), shares.clone()};
  auto spans = out.first.accessor<double, 1>();
  auto legs = out.second.accessor<double, 2>();
  for_each_row(range, "objective.spans", [&](std::int64_t row, RandomStream& stream) {
    spans[row] = 1;
    if (stream.uniform() >= probability) return;
    const double first = stream.uniform(), second = stream.uniform();
    spans[row] = std::max(first + second, 1e-12);
    legs[0][row] = first / spans[row];
    legs[1][row] = second / spans[row];
  });
  return out;
}

}  // namespace cvf::objectives

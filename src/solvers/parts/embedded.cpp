#include "solvers/parts/embedded.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"

namespace cvf::solvers {

namespace {

// x^(-1/order), from single precision by one step of Newton: 3e-14, and several times faster than pow, which
// for an easy field is a quarter of a step's time.
double inverse_root(double x, int order) {
  const double y = std::pow(static_cast<float>(x), -1.0F / static_cast<float>(order));
  double power = x;
  for (int i = 0; i < order; ++i) power *= y;
  return y * (1 + (1 - power) / order);
}

// a - b
Batch difference(const Batch& a, const Batch& b) {
  Batch out = a->empty(a->rows());
  const double minus[]{-1};
  out->combine(*a, Numbers(a->rows(), 1), {&b, 1}, minus);
  return out;
}

}  // namespace

void EmbeddedOptions::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Norm> norms[]{{"row", Norm::row}, {"batch", Norm::batch}};
  s.key("atol", &atol, "absolute tolerance, in units of the state", config::above(0));
  s.key("rtol", &rtol, "relative tolerance", config::at_least(0));
  s.choice<Norm>("norm", norm, norms, "error of each row, or one over the whole batch as torchdiffeq has it");
  static constexpr std::pair<std::string_view, loops::Reduce> measures[]{{"rms", loops::Reduce::sum},
                                                                         {"max", loops::Reduce::largest}};
  s.choice<loops::Reduce>("measure", measure, measures,
                          "error of a state: root mean square, or its worst value");
  s.key("dense", &dense, "targets are interpolated (4th order); false: steps are cut to end on them");
  s.key("first_step", &first_step, "0: found with a second evaluation", config::at_least(0));
  s.key("safety", &safety, "share of the step that the error allows", config::between(0.1, 1));
  s.key("grow", &grow, "most that a step grows", config::at_least(1));
  s.key("shrink", &shrink, "most that a step shrinks, as a factor", config::between(0.01, 0.99));
}

EmbeddedPair::EmbeddedPair(const Tableau& tableau, const EmbeddedOptions& options, double time_unit)
    : tableau_(tableau), options_(options), time_unit_(time_unit) {
  if (options.norm == Norm::batch && !options.dense) {
    throw ConfigError("norm = \"batch\" shares steps between rows, so it needs dense = true");
  }
}

std::unique_ptr<Stepper> EmbeddedPair::start() const {
  return std::make_unique<EmbeddedStepper>(tableau_, options_, time_unit_);
}

// Root mean squares from sums of squares, or roots of the largest: of each row, or the mean over the batch,
// the same for all rows.
Numbers EmbeddedStepper::norms_of(Numbers squares, const Rows& rows) const {
  const double count = options_.measure == loops::Reduce::sum ? static_cast<double>(rows.values()) : 1;
  if (options_.norm == Norm::batch) {
    const double sum = std::accumulate(squares.begin(), squares.end(), 0.0);
    std::fill(squares.begin(), squares.end(), sum / static_cast<double>(squares.size()));
  }
  for (auto& x : squares) x = std::sqrt(x * (1 / count));
  return squares;
}

Numbers EmbeddedStepper::norms(const Batch& x, const Rows& rows) const {
  const ErrorScale scale{options_.atol, options_.rtol, *rows.state, *rows.state};
  const double one[]{1};
  return norms_of(row_squares({&x, 1}, one, &scale, options_.measure), rows);
}

// A velocity that is not finite at a row's own state leaves nothing to shrink.
void EmbeddedStepper::stop_where_still(Rows& rows) const {
  const auto finite = k_[0]->finite_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (finite[i] == 0) rows.all[i].stop(Status::non_finite);
  }
}

void EmbeddedStepper::begin(Rows& rows, Evaluator& velocity) {
  k_[0] = velocity.tangent(rows.state, 0);
  next_.assign(rows.size(), options_.first_step);
  stop_where_still(rows);
  if (options_.first_step > 0) return;
  const Numbers d0 = norms(rows.state, rows), d1 = norms(k_[0], rows);
  const double least = 1e-6 * time_unit_;
  Numbers h0(rows.size()), along(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double h = d0[i] < 1e-5 || d1[i] < 1e-5 / time_unit_ ? least : 0.01 * d0[i] / d1[i];
    h0[i] = std::isfinite(h) ? h : least;
    along[i] = rows.all[i].direction * h0[i];
  }
  const double one[]{1};
  rows.candidate->combine(*rows.state, along, Batches(k_).first(1), one);
  const Batch change = difference(velocity.tangent(rows.candidate, 0, along), k_[0]);
  const Numbers d2 = norms(change, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The rule compares first and second derivatives, so it holds in one unit of time only.
    const double largest = std::max(d1[i] * time_unit_, d2[i] / h0[i] * time_unit_ * time_unit_);
    const double h1 = largest <= 1e-15 ? std::max(least, 1e-3 * h0[i])
                                       : std::pow(0.01 / largest, 1.0 / tableau_.order) * time_unit_;
    next_[i] = std::isfinite(h1) ? std::min(100 * h0[i], h1) : h0[i];
  }
}

void EmbeddedStepper::propose(Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows.all[i].wanted = next_[i];
}

Numbers EmbeddedStepper::signed_steps(const Rows& rows) const {
  Numbers steps(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) steps[i] = rows.all[i].signed_step();
  return steps;
}

// The last stage of a step that ended on a break was evaluated before it; the first one of the next is not
// the same then.
void EmbeddedStepper::begin_behind_breaks(Rows& rows, Evaluator& velocity) {
  std::vector<std::size_t> stale;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.all[i].at_break) stale.push_back(i);
    rows.all[i].at_break = false;
  }
  if (stale.empty()) return;
  const Batch first = velocity.ask(take_rows(*rows.state, stale), {}, stale);
  for (std::size_t i = 0; i < stale.size(); ++i) k_.front()->copy_row(stale[i], *first, i);
}

void EmbeddedStepper::attempt(Rows& rows, Evaluator& velocity) {
  begin_behind_breaks(rows, velocity);
  const Numbers steps = signed_steps(rows);
  for (std::size_t i = 1; i < tableau_.stages(); ++i) {  // the last stage stands where the step ends
    rows.candidate->combine(*rows.state, steps, Batches(k_).first(i), tableau_.a[i - 1]);
    k_[i] = velocity.tangent(rows.candidate, tableau_.place(i));
  }
  const ErrorScale scale{options_.atol, options_.rtol, *rows.state, *rows.candidate};
  Numbers squares = row_squares(k_, tableau_.error, &scale, options_.measure);
  for (std::size_t i = 0; i < rows.size(); ++i) squares[i] *= steps[i] * steps[i];
  const Numbers ratios = norms_of(std::move(squares), rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows.all[i].error = ratios[i];
}

void EmbeddedStepper::judge(Rows& rows) {
  for (auto& row : rows.all) {
    row.accepted = row.error <= 1;
    if (row.accepted || row.time + options_.shrink * row.signed_step() != row.time) continue;
    row.stop(std::isfinite(row.error) ? Status::step_underflow : Status::non_finite);
  }
}

// An error that is not finite says only that the step was far too long.
double EmbeddedStepper::factor(double ratio) const {
  if (!std::isfinite(ratio) || ratio >= ratio_that_shrinks_) return options_.shrink;
  if (ratio <= ratio_that_grows_) return options_.grow;
  return std::max(options_.safety * inverse_root(ratio, tableau_.order), ratio < 1 ? 1 : options_.shrink);
}

void EmbeddedStepper::resize(Rows& rows) {
  std::swap(k_.front(), k_.back());  // the last stage of a step is the first of the next
  double last_error = 0, last_factor = options_.grow;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows.all[i];
    if (row.error != last_error) last_factor = factor(row.error);  // rows that share steps share it
    last_error = row.error;
    const double allowed = row.step * last_factor;
    // A step that was cut to its target says little: what was wanted before it still holds.
    next_[i] = row.accepted && row.shortened() ? std::max(row.wanted, allowed) : allowed;
    if (!row.accepted) k_.front()->copy_row(i, *k_.back(), i);
  }
}

void EmbeddedStepper::pack(std::span<const std::size_t> kept) {
  if (k_[0] != nullptr) keep_rows(k_[0], kept);
  if (next_.empty()) return;
  for (std::size_t i = 0; i < kept.size(); ++i) next_[i] = next_[kept[i]];
  next_.resize(kept.size());
}

// The quartic through both ends, their slopes and the middle, x = share of the step:
//   s(x) = s0 + x h f0 + x^2 c + x^3 b + x^4 a
void EmbeddedStepper::interpolate(const Rows& rows, std::size_t i, double x, States& out) {
  const auto at = [i](const Batch& t) { return t->narrow(i, 1); };
  const double h = rows.all[i].signed_step(), x2 = x * x, x3 = x2 * x, x4 = x3 * x;
  const Batch s0 = at(rows.candidate), s1 = at(rows.state);
  // The middle is s0 + h sum_j middle_j k_j: everything is a weighted sum of s1 - s0 and the stages.
  const double of_middle = 16 * x4 - 32 * x3 + 16 * x2, of_end = -8 * x4 + 14 * x3 - 5 * x2;
  std::vector<Batch> parts{difference(s1, s0)};
  Numbers weights{of_end};
  for (std::size_t j = 0; j < k_.size(); ++j) {
    parts.push_back(at(k_[j]));
    weights.push_back(h * of_middle * tableau_.middle[j]);
  }
  weights[1] += h * (-2 * x4 + 5 * x3 - 4 * x2 + x);
  weights.back() += h * (2 * x4 - 3 * x3 + x2);
  const double one[]{1};
  out.combine(*s0, one, parts, weights);
}

}  // namespace cvf::solvers

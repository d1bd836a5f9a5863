#include "evaluate/step_errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/scores.hpp"
#include "metrics/isotonic.hpp"

namespace cvf::evaluate {
namespace {

using torch::Tensor;

constexpr std::size_t starts = 8;  // frames of a sample that steps of one length begin at
constexpr std::size_t columns = 16, least_in_column = 8;
constexpr double beyond_training =
    4;  // steps that are longer by up to this, too: a solver may be allowed to take them
constexpr double least = 1e-12;

std::vector<double> row_norms(const Tensor& values) {
  const Tensor norms = values.to(torch::kDouble).flatten(1).norm(2, 1).contiguous();
  return {norms.data_ptr<double>(), norms.data_ptr<double>() + norms.numel()};
}

// Steps that are tried together: whose they are, when they begin, from where and to where.
struct Trials {
  std::vector<std::int64_t> rows;
  std::vector<double> begin, middle, length;
  std::vector<Tensor> from, to;
};

// The frames from which a step of `stride` frames is tried, spread over the sample.
Trials trials_of(const Truth& truth, const Tensor& states, std::size_t sample, std::size_t stride,
                 std::int64_t members) {
  Trials out;
  const auto& times = truth.times[sample];
  if (times.size() <= stride) return out;
  const std::size_t last = times.size() - stride, every = std::max<std::size_t>(1, last / starts);
  for (std::size_t k = 0; k < last; k += every) {
    for (std::int64_t m = 0; m < members; ++m) {
      out.rows.push_back(static_cast<std::int64_t>(sample) * members + m);
      out.begin.push_back(times[k]);
      out.length.push_back(times[k + stride] - times[k]);
      out.middle.push_back(times[k] + out.length.back() / 2);
      const auto i = static_cast<std::int64_t>(sample);
      out.from.push_back(states[i][static_cast<std::int64_t>(k)]);
      out.to.push_back(states[i][static_cast<std::int64_t>(k + stride)]);
    }
  }
  return out;
}

void try_steps(const rollout::Setup& setup, const model::Contexts& contexts, const Trials& t,
               std::vector<TriedStep>& out) {
  const auto velocity = rollout::velocity_by_member(setup, contexts, t.rows);
  const Tensor state = torch::stack(t.from), dt = torch::tensor(t.length, torch::kDouble), half = dt / 2;
  std::vector<std::int64_t> shape(static_cast<std::size_t>(state.dim()), 1);
  shape[0] = -1;
  const auto ask = [&](const Tensor& s, const Tensor& step, const std::vector<double>& at) {
    return velocity(solvers::Query{s, step, nullptr, {}, 0, at});
  };
  const Tensor h = dt.view(shape).to(state);
  const Tensor straight = ask(state, dt, t.begin), first = ask(state, half, t.begin);
  const Tensor second = ask(state + h / 2 * first, half, t.middle);
  const auto broken = row_norms((first + second) / 2 - straight), size = row_norms(straight);
  const Tensor miss = state + h * straight - torch::stack(t.to);
  const auto missed = row_norms(miss);
  const double values = std::sqrt(static_cast<double>(miss.numel()) / static_cast<double>(miss.size(0)));
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const TriedStep one{nre(broken[i], size[i], nre_eta), t.length[i], missed[i] / values};
    if (std::isfinite(one.nre) && std::isfinite(one.error)) out.push_back(one);
  }
}

// 1, 2, 3, 4, 6, 8, 12, ...: two lengths an octave, because errors rise steeply beyond the steps of training.
std::size_t longer(std::size_t stride) {
  const bool power_of_two = (stride & (stride - 1)) == 0;
  return stride == 1 ? 2 : power_of_two ? stride + stride / 2 : stride / 3 * 4;
}

// The edges of groups of about equal numbers; fewer where there are few.
std::vector<double> knots_of(std::vector<double> values, std::size_t most) {
  std::sort(values.begin(), values.end());
  const std::size_t groups = std::clamp<std::size_t>(values.size() / least_in_column, 1, most);
  std::vector<double> out;
  for (std::size_t g = 0; g < groups; ++g) {
    const double middle = values[(2 * g + 1) * values.size() / (2 * groups)];
    if (out.empty() || middle > out.back() * (1 + 1e-9)) out.push_back(middle);
  }
  return out;
}

std::size_t nearest(const std::vector<double>& knots, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < knots.size(); ++i) {
    if (std::abs(std::log(knots[i] / value)) < std::abs(std::log(knots[best] / value))) best = i;
  }
  return best;
}

}  // namespace

std::vector<TriedStep> tried_steps(const rollout::Setup& setup, const data::Source& source,
                                   std::span<const std::size_t> samples, const Viewing& viewing) {
  rollout::check_fits(source, setup.model, setup.any_spacing);
  TruthReader reader(source, viewing);
  Progress progress("steps", samples.size(), "samples");
  const auto members = setup.model.field->member_count();
  const double longest = beyond_training * setup.model.spec.state.largest_dt * (1 + 1e-3);
  std::vector<TriedStep> out;
  const auto together = static_cast<std::size_t>(viewing.together);
  for (std::size_t first = 0; first < samples.size(); first += together) {
    interrupt::throw_if_requested("nothing was written");
    const Truth truth = reader.read(samples.subspan(first, std::min(together, samples.size() - first)));
    const auto contexts = rollout::contexts_for(setup.model, truth.contexts, truth.start().value);
    const Tensor states = rollout::to_model(setup.model, {truth.states.flatten(0, 1)}).view_as(truth.states);
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      for (std::size_t stride = 1;; stride = longer(stride)) {
        const Trials some = trials_of(truth, states, i, stride, members);
        if (some.rows.empty() || some.length.front() > longest) break;
        try_steps(setup, contexts, some, out);
      }
    }
    progress.advance(truth.rows());
  }
  return out;
}

solvers::StepErrors fit_step_errors(std::span<const TriedStep> tried) {
  if (tried.empty()) throw DataError("no step of the validation samples is as short as those of training");
  solvers::StepErrors out;
  std::vector<double> ruptures, lengths;
  for (const auto& step : tried) {
    ruptures.push_back(std::max(step.nre, least));
    lengths.push_back(step.length);
  }
  // Lengths come in half octaves: one knot for each, the shortest of all being the first.
  const double shortest = *std::min_element(lengths.begin(), lengths.end());
  std::vector<std::pair<double, double>> sums;  // of the logarithms, and how many
  for (const double length : lengths) {
    const auto half = static_cast<std::size_t>(std::lround(2 * std::log2(length / shortest)));
    if (sums.size() <= half) sums.resize(half + 1);
    sums[half].first += std::log(length), sums[half].second += 1;
  }
  for (const auto& [sum, count] : sums) {
    if (count > 0) out.length.push_back(std::exp(sum / count));
  }
  out.nre = knots_of(ruptures, columns);
  std::vector<double> means(out.nre.size() * out.length.size(), 0), weights(means.size(), 0);
  for (const auto& step : tried) {
    const std::size_t cell =
        nearest(out.length, step.length) * out.nre.size() + nearest(out.nre, std::max(step.nre, least));
    weights[cell] += 1;
    means[cell] += (std::log(std::max(step.error, least)) - means[cell]) / weights[cell];
  }
  for (const double value : metrics::isotonic_table(means, weights, out.length.size(), out.nre.size()))
    out.error.push_back(std::exp(value));
  return out;
}

}  // namespace cvf::evaluate

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

using solvers::Batch;

constexpr std::size_t starts = 8;  // frames of a sample that steps of one length begin at
constexpr std::size_t columns = 16, least_in_column = 8;
constexpr double beyond_training =
    4;  // steps that are longer by up to this, too: a solver may be allowed to take them
constexpr double least = 1e-12;

// Steps that are tried together: whose they are, when they begin, from where and to where.
struct Trials {
  std::vector<std::int64_t> rows;
  std::vector<double> begin, middle, length;
  std::vector<std::size_t> from, to;  // frames of all samples, one after the other
};

// The frames from which a step of `stride` frames is tried, spread over the sample.
Trials trials_of(const Truth& truth, std::size_t sample, std::size_t stride, std::int64_t members) {
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
      out.from.push_back(sample * truth.most_frames() + k);
      out.to.push_back(sample * truth.most_frames() + k + stride);
    }
  }
  return out;
}

// `frames` in model units.
void try_steps(const rollout::Prepared& model, const Batch& frames, const Trials& t, double eta,
               std::vector<TriedStep>& out) {
  const auto velocity = model.velocity(t.rows);
  const auto ask = [&](const Batch& at, std::span<const double> steps, const std::vector<double>& when) {
    return velocity({at, steps, {.ahead = when}});
  };
  std::vector<double> half;
  for (const double length : t.length) half.push_back(length / 2);
  const double one[]{1}, rupture[]{0.5, 0.5, -1}, long_side[]{0, 0, 1}, difference[]{1, -1};
  const Batch from = take_rows(*frames, t.from);
  const Batch straight = ask(from, t.length, t.begin), first = ask(from, half, t.begin);
  const Batch middle = from->empty(from->rows()), end = from->empty(from->rows());
  middle->combine(*from, half, {&first, 1}, one);
  end->combine(*from, t.length, {&straight, 1}, one);
  const Batch ways[]{first, ask(middle, half, t.middle), straight}, ends[]{end, take_rows(*frames, t.to)};
  const auto broken = solvers::row_squares(ways, rupture), size = solvers::row_squares(ways, long_side),
             missed = solvers::row_squares(ends, difference);
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const TriedStep tried{nre(std::sqrt(broken[i]), std::sqrt(size[i]), eta), t.length[i],
                          std::sqrt(missed[i] / static_cast<double>(from->values()))};
    if (std::isfinite(tried.nre) && std::isfinite(tried.error)) out.push_back(tried);
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
  const auto facts = setup.model->facts();
  rollout::check_fits(source, facts, setup.any_spacing);
  TruthReader reader(source, viewing);
  Progress progress("steps", samples.size(), "samples");
  const auto members = setup.model->members();
  const double longest = beyond_training * facts.state.largest_dt * (1 + 1e-3);
  std::vector<TriedStep> out;
  const auto together = static_cast<std::size_t>(viewing.together);
  for (std::size_t first = 0; first < samples.size(); first += together) {
    interrupt::throw_if_requested("nothing was written");
    const Truth truth = reader.read(samples.subspan(first, std::min(together, samples.size() - first)));
    const rollout::Prepared model(setup, truth.start(), truth.contexts);
    const Batch frames = model.to_model(rollout::array_of(truth.states, 2));
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      for (std::size_t stride = 1;; stride = longer(stride)) {
        const Trials some = trials_of(truth, i, stride, members);
        if (some.rows.empty() || some.length.front() > longest) break;
        try_steps(model, frames, some, nre_eta / facts.time_unit, out);
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

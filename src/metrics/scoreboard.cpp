#include "metrics/scoreboard.hpp"

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

void insert(Rows& rows, std::int64_t frame, std::int64_t sample, Numbers numbers) {
  rows[frame][sample] = std::move(numbers);
}

Tensor finite(const Tensor& t) {  // [B]
  return torch::isfinite(t).flatten(1).all(1);
}

}  // namespace

std::string Score::text() const {
  if (diverged) return "diverged";
  return (value && lower_bound ? ">= " : "") + metrics::text(value);
}

Scoreboard::Scoreboard(std::span<const std::string> names, const Setting& setting) {
  for (const auto& name : names) {
    const Row& row = find(registry(), name, "metric");
    if (row.make == nullptr)
      throw UsageError("the metric '{}' is computed from others, it cannot be measured", name);
    columns_.push_back({&row, row.make(setting), {}});
  }
}

void Scoreboard::check(const Frame& frame) const {
  const auto& [prediction, truth] = std::tie(frame.prediction, frame.truth);
  const auto samples = frame.samples.size();
  if (prediction.sizes() != truth.sizes() || truth.dim() < 2 ||
      truth.size(0) != static_cast<std::int64_t>(samples)) {
    throw DataError("frame {}: prediction {}, truth {} and {} sample names do not belong together",
                    frame.index, c10::str(prediction.sizes()), c10::str(truth.sizes()), samples);
  }
  const bool fits = (frame.times.empty() || frame.times.size() == samples) &&
                    (frame.evaluations.empty() || frame.evaluations.size() == samples);
  if (!fits)
    throw DataError("frame {}: times and evaluations must be one for each of {} samples", frame.index,
                    samples);
}

void Scoreboard::note_divergence(std::int64_t sample, std::int64_t frame) {
  const auto [place, fresh] = diverged_.emplace(sample, frame);
  if (!fresh) place->second = std::min(place->second, frame);
}

std::vector<bool> Scoreboard::finite_rows(const Frame& frame) {
  const Tensor ours = finite(frame.prediction), true_ones = finite(frame.truth);
  std::vector<bool> out;
  for (std::size_t b = 0; b < frame.samples.size(); ++b) {
    const auto sample = frame.samples[b], row = static_cast<std::int64_t>(b);
    if (!true_ones[row].item<bool>()) {
      throw DataError("sample {}, frame {}: the truth is not finite", sample, frame.index);
    }
    if (!seen_[sample].emplace(frame.index, true).second) {
      throw DataError("sample {}, frame {}: was scored twice", sample, frame.index);
    }
    out.push_back(ours[row].item<bool>());
    if (!out.back()) note_divergence(sample, frame.index);
  }
  return out;
}

void Scoreboard::add(const Frame& given) {
  const torch::NoGradGuard no_grad;
  check(given);
  if (given.index == 0) return;
  Frame frame = given;
  frame.prediction = given.prediction.to(torch::kCPU, torch::kDouble);
  frame.truth = given.truth.to(torch::kCPU, torch::kDouble);
  const auto good = finite_rows(frame);
  for (auto& [row, metric, rows] : columns_) {
    const Tensor numbers = metric->measure(frame);
    if (!numbers.defined()) continue;
    const auto table = numbers.contiguous();
    for (std::size_t b = 0; b < good.size(); ++b) {
      if (!good[b] && row->of_states) continue;
      const double* begin = table.data_ptr<double>() + static_cast<std::int64_t>(b) * table.size(1);
      insert(rows, frame.index, frame.samples[b], {begin, begin + table.size(1)});
    }
  }
}

void Scoreboard::merge(const Scoreboard& other) {
  if (other.columns_.size() != columns_.size())
    throw UsageError("scoreboards of different metrics cannot be merged");
  for (const auto& [sample, frames] : other.seen_) {
    for (const auto& [frame, yes] : frames) {
      if (!seen_[sample].emplace(frame, yes).second) {
        throw DataError("sample {}, frame {}: was scored twice", sample, frame);
      }
    }
  }
  for (const auto& [sample, frame] : other.diverged_) note_divergence(sample, frame);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (other.columns_[i].row != columns_[i].row)
      throw UsageError("scoreboards of different metrics cannot be merged");
    for (const auto& [frame, samples] : other.columns_[i].rows) {
      for (const auto& [sample, numbers] : samples) insert(columns_[i].rows, frame, sample, numbers);
    }
  }
}

Score Scoreboard::score(const Column& column) const {
  Score out;
  out.row = column.row;
  out.diverged = column.row->of_states && !diverged_.empty();
  if (!out.diverged) {
    static_cast<Summary&>(out) = column.metric->summarise(column.rows);
    return out;
  }
  std::int64_t first = diverged_.begin()->second;
  for (const auto& [sample, frame] : diverged_) first = std::min(first, frame);
  const Rows before(column.rows.begin(), column.rows.lower_bound(first));
  out.per_frame = column.metric->summarise(before).per_frame;
  return out;
}

std::vector<Score> Scoreboard::scores() const {
  std::vector<Score> out;
  for (const auto& column : columns_) out.push_back(score(column));
  return out;
}

Score Scoreboard::score(std::string_view name) const {
  for (const auto& column : columns_) {
    if (column.row->name == name) return score(column);
  }
  throw UsageError("the metric '{}' is not on this scoreboard", name);
}

std::string Scoreboard::divergence_sentence() const {
  if (diverged_.empty()) return "";
  std::vector<std::string> places;
  for (const auto& [sample, frame] : diverged_)
    places.push_back(fmt::format("sample {} at frame {}", sample, frame));
  return fmt::format("{} of {} samples diverged: {}", diverged_.size(), seen_.size(), text::join(places));
}

}  // namespace cvf::metrics

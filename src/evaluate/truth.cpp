#include "evaluate/truth.hpp"

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/machine.hpp"

namespace cvf::evaluate {
namespace {

using torch::Tensor;

Tensor states_of(const data::Trajectory& whole, std::size_t frames, const data::Description& d) {
  auto sizes = d.state.tensor_sizes();
  sizes.insert(sizes.begin(), static_cast<std::int64_t>(frames));
  return torch::from_blob(const_cast<float*>(whole.values.data()), sizes).clone();
}

}  // namespace

std::size_t Truth::most_frames() const {
  std::size_t out = 0;
  for (const auto& t : times) out = std::max(out, t.size());
  return out;
}

std::vector<std::int64_t> Truth::rows_with(std::size_t frame) const {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rows(); ++i) {
    if (frame < times[i].size()) out.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

metrics::Frame Truth::frame(std::size_t index, const Tensor& predicted) const {
  const auto rows = rows_with(index);
  const Tensor which = torch::tensor(rows);
  metrics::Frame out{.prediction = predicted.index_select(0, which),
                     .truth = states.select(1, static_cast<std::int64_t>(index)).index_select(0, which),
                     .index = static_cast<std::int64_t>(index),
                     .samples = {},
                     .times = {},
                     .evaluations = {}};
  for (const auto row : rows) {
    const auto i = static_cast<std::size_t>(row);
    out.samples.push_back(static_cast<std::int64_t>(samples[i]));
    out.times.push_back(times[i][index] - times[i][0]);
  }
  return out;
}

std::vector<double> Truth::errors(const Tensor& predicted, std::size_t row) const {
  const auto i = static_cast<std::int64_t>(row);
  const Tensor squares =
      (predicted[i] - states[i]).to(torch::kDouble).square().flatten(1).mean(1).contiguous();
  std::vector<double> out;
  for (std::size_t k = 0; k < times[row].size(); ++k) out.push_back(std::sqrt(squares.data_ptr<double>()[k]));
  return out;
}

TruthReader::TruthReader(const data::Source& source, const Viewing& viewing)
    : viewing_(viewing),
      trajectories_(std::shared_ptr<const data::Source>(&source, [](const data::Source*) {}),
                    {data::Downsampling::even, viewing.every}, 0, false) {}

std::size_t TruthReader::frames_of(const data::Trajectory& whole, std::size_t sample) const {
  auto count = whole.times.size();
  if (viewing_.frames > 0) count = std::min(count, static_cast<std::size_t>(viewing_.frames) + 1);
  if (count > 1) return count;
  const auto& d = trajectories_.source().description();
  if (d.frames.at(sample) > 1) {
    throw DataError("{}: sample {} has {} frames, so looking at every {} of them leaves nothing to predict",
                    d.file, sample, d.frames[sample], viewing_.every);
  }
  throw DataError("{}: sample {} has one frame only, so there is nothing to predict", d.file, sample);
}

// The truth, what is predicted, and a copy on the way.
void TruthReader::check_resources(std::span<const std::size_t> samples) const {
  const auto& d = trajectories_.source().description();
  std::size_t most = 0;
  for (const auto sample : samples) most = std::max(most, d.frames.at(sample));
  most = most / static_cast<std::size_t>(std::max(viewing_.every, 1)) + 1;
  if (viewing_.frames > 0) most = std::min(most, static_cast<std::size_t>(viewing_.frames) + 1);
  const double bytes = (2.0 + viewing_.copies) * static_cast<double>(samples.size()) *
                       static_cast<double>(most) * static_cast<double>(d.frame_size()) * sizeof(float);
  if (!memory::exceeds(bytes)) return;
  throw DataError("{}: {} samples with {} frames {}; a smaller --together would fit", d.file, samples.size(),
                  most, memory::shortage(bytes));
}

Truth TruthReader::read(std::span<const std::size_t> samples) {
  const auto& d = trajectories_.source().description();
  Truth out{{samples.begin(), samples.end()}, {}, {}, {}};
  std::vector<Tensor> all;
  check_resources(samples);
  for (const auto sample : samples) {
    interrupt::throw_if_requested("nothing was written");
    const auto whole = trajectories_.get(sample);
    const auto count = frames_of(*whole, sample);
    out.times.emplace_back(whole->times.begin(), whole->times.begin() + static_cast<std::ptrdiff_t>(count));
    rollout::check_times(d.file, sample, out.times.back());
    all.push_back(states_of(*whole, count, d));
    out.contexts.push_back(whole->context);
  }
  const auto most = static_cast<std::int64_t>(out.most_frames());
  for (auto& states : all) {
    const auto missing = most - states.size(0);
    if (missing > 0) states = torch::cat({states, states.slice(0, -1).repeat_interleave(missing, 0)});
  }
  out.states = torch::stack(all);
  return out;
}

}  // namespace cvf::evaluate

#include "train/resolution.hpp"

#include <algorithm>
#include <limits>

#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "train/learner.hpp"

namespace cvf::train {
namespace {

using torch::Tensor;

// [C, ...] of one frame: the squares of its Fourier coefficients. Mirrored at its ends, so that they fit.
Tensor energy(const Tensor& frame) {
  Tensor mirrored = frame;
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 1; axis < frame.dim(); ++axis) {
    mirrored = torch::cat({mirrored, mirrored.flip({axis})}, axis);
    axes.push_back(axis);
  }
  return at::fft_fftn(mirrored, torch::nullopt, axes).abs().square();
}

// True for the waves that are shorter than two patches along one axis or more.
Tensor beyond(at::IntArrayRef mirrored, int patch) {
  Tensor out = torch::zeros(mirrored, torch::kBool);
  for (std::size_t axis = 0; axis < mirrored.size(); ++axis) {
    std::vector<std::int64_t> shape(mirrored.size(), 1);
    shape[axis] = mirrored[axis];
    const Tensor per_cell = at::fft_fftfreq(mirrored[axis], 1.0, torch::TensorOptions(torch::kDouble)).abs();
    out |= (per_cell > 0.5 / patch + 1e-9).view(shape);
  }
  return out;
}

// Of one frame [C, ...], mean over the channels that vary along the grid.
double unresolved_of(const Tensor& frame, int patch) {
  const Tensor all = energy(frame), of_mean = all.flatten(1).select(1, 0).clone();
  all.flatten(1).select(1, 0).zero_();
  const Tensor totals = all.flatten(1).sum(1);
  const Tensor lost = (all * beyond(all.sizes().slice(1), patch)).flatten(1).sum(1);
  const Tensor fractions = (lost / totals).masked_select(totals > 1e-12 * of_mean);
  return fractions.numel() > 0 ? fractions.mean().item<double>() : 0;
}

}  // namespace

double unresolved_energy(const data::Source& source, const std::vector<std::size_t>& samples, int patch) {
  constexpr std::size_t most_samples = 16, most_frames = 4, most_values = std::size_t{1} << 22;
  const torch::NoGradGuard no_gradients;
  const auto& d = source.description();
  std::vector<std::int64_t> sizes;
  for (const auto& axis : d.state.axes) sizes.push_back(static_cast<std::int64_t>(axis.size));
  sizes.push_back(static_cast<std::int64_t>(d.state.count(Role::state)));
  std::vector<float> frame(d.frame_size());
  const std::size_t most = std::clamp<std::size_t>(most_values / frame.size() / most_frames, 1, most_samples);
  std::vector<double> fractions;
  for (std::size_t n = 0; n < samples.size(); n += std::max<std::size_t>(1, samples.size() / most)) {
    const std::size_t frames = d.frames[samples[n]];
    for (std::size_t k = 0; k < frames; k += std::max<std::size_t>(1, frames / most_frames)) {
      interrupt::throw_if_requested("the run had not begun");
      source.read(samples[n], k, 1, frame);
      data::require_finite(source, samples[n], k, frame);
      const Tensor values =
          torch::from_blob(frame.data(), sizes, torch::kFloat32).to(torch::kDouble).movedim(-1, 0);
      fractions.push_back(unresolved_of(values, patch));
    }
  }
  const auto middle = fractions.begin() + static_cast<std::ptrdiff_t>(fractions.size() / 2);
  std::nth_element(fractions.begin(), middle, fractions.end());
  return *middle;
}

double measured_step(const RunOptions& options, const RunData& run_data) {
  constexpr int steps = 2;
  ProcessGroup alone;
  RunData part = run_data;  // as many samples as give a few batches
  std::size_t rows = 0, samples = 0;
  const auto wanted = static_cast<std::size_t>(options.loader.batch) * (steps + 1);
  while (samples < part.splits.train.size() && rows < wanted)
    rows += part.source->description().frames[part.splits.train[samples++]] / 2;
  part.splits.train.resize(samples);
  part.spec.field = options.field;
  Learner learner(options, part, alone);
  fit_statistics(*learner.model.normalizer, learner.feed, alone);
  learner.model.field->train();
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= steps; ++i) {
    const double begun = clock::wall();
    learner.step(1, 0);
    if (i > 0) fastest = std::min(fastest, clock::wall() - begun);  // the first one fills caches
  }
  return fastest;
}

}  // namespace cvf::train

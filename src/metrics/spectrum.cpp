#include <algorithm>

#include "metrics/kinds.hpp"

namespace cvf::metrics {
namespace {

using torch::Tensor;

// The whole wave number of every coefficient, flattened [space].
Tensor shells(at::IntArrayRef space) {
  const double longest = static_cast<double>(*std::max_element(space.begin(), space.end()));
  Tensor squares = torch::zeros(space, torch::kDouble);
  for (std::size_t axis = 0; axis < space.size(); ++axis) {
    std::vector<std::int64_t> shape(space.size(), 1);
    shape[axis] = space[axis];
    squares += (at::fft_fftfreq(space[axis], 1.0, torch::TensorOptions(torch::kDouble)) * longest)
                   .square()
                   .view(shape);
  }
  return squares.sqrt().round().to(torch::kLong).flatten();
}

}  // namespace

Tensor radial_spectrum(const Tensor& fields) {
  const auto space = fields.sizes().slice(2);
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 2; axis < fields.dim(); ++axis) axes.push_back(axis);
  const double cells = static_cast<double>(fields.size(2) * (fields.dim() > 3 ? fields.size(3) : 1));
  const Tensor energy = (at::fft_fftn(fields, torch::nullopt, axes).abs() / cells).square().flatten(2);
  const Tensor shell = shells(space);
  const std::int64_t last = shell.max().item<std::int64_t>();
  Tensor out = torch::zeros({fields.size(0), fields.size(1), last + 1}, torch::kDouble);
  out.index_add_(2, shell, energy);
  return out.slice(2, 0, *std::min_element(space.begin(), space.end()) / 2 + 1);
}

namespace {

// Numbers: for each channel the sum of differences, then for each channel the sum of the truth.
struct SpectrumError : Metric {
  Tensor measure(const Frame& frame) const override {
    if (frame.truth.dim() < 3) return {};
    const Tensor ours =
        radial_spectrum(frame.prediction).slice(2, 1);  // k = 0 is the mean, not a fluctuation
    const Tensor true_one = radial_spectrum(frame.truth).slice(2, 1);
    return torch::cat({(ours - true_one).abs().sum(2), true_one.sum(2)}, 1);
  }

  Summary summarise(const Rows& rows) const override {
    Numbers sums;
    for (const auto& [frame, samples] : rows) {
      for (const auto& [sample, numbers] : samples) {
        sums.resize(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) sums[i] += numbers[i];
      }
    }
    const std::size_t channels = sums.size() / 2;
    double total = 0, known = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      if (sums[channels + c] > 0) total += sums[c] / sums[channels + c], ++known;
    }
    return known > 0 ? Summary{total / known} : Summary{};
  }
};

}  // namespace

std::unique_ptr<Metric> make_spectrum_error(const Setting&) {
  return std::make_unique<SpectrumError>();
}

}  // namespace cvf::metrics

#include "evaluate/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/interrupt.hpp"

namespace cvf::evaluate {
namespace {

using torch::Tensor;

constexpr std::size_t most_samples = 256;  // more would cost more reading and hardly move the mean

}  // namespace

MeanState mean_of_samples(const data::Source& source, std::span<const std::size_t> training) {
  data::Trajectories trajectories(std::shared_ptr<const data::Source>(&source, [](const data::Source*) {}),
                                  {}, 0, false);
  const std::size_t read = std::min(training.size(), most_samples);
  auto shape = source.description().state.tensor_sizes();
  shape.insert(shape.begin(), 1);
  Tensor sum = torch::zeros(shape, torch::kDouble);
  std::int64_t frames = 0;
  shape[0] = -1;
  for (std::size_t i = 0; i < read; ++i) {
    interrupt::throw_if_requested("nothing was written");
    const auto whole = trajectories.get(training[i * training.size() / read]);
    const Tensor states = torch::from_blob(const_cast<float*>(whole->values.data()),
                                           {static_cast<std::int64_t>(whole->values.size())})
                              .view(shape);
    sum += states.sum(0, true, torch::kDouble);
    frames += states.size(0);
  }
  return {sum / static_cast<double>(frames),
          fmt::format("mean over the states of {} training samples", read)};
}

MeanState mean_of_normalizer(const rollout::Model& model, std::int64_t dimensions) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions), 1);
  shape[1] = -1;
  return {torch::tensor(model.state_mean(), torch::kDouble).view(shape),
          "mean of each channel as the model's normalizer keeps it"};
}

Baselines::Baselines(std::span<const std::string> names, const metrics::Setting& setting, MeanState mean,
                     bool one_step)
    : mean_(std::move(mean)),
      one_step_(one_step),
      persistence_(names, setting),
      mean_state_(names, setting) {}

void Baselines::add(const Truth& truth) {
  for (std::size_t k = 1; k < truth.most_frames(); ++k) {
    const Tensor before = truth.states.select(1, one_step_ ? static_cast<std::int64_t>(k) - 1 : 0);
    persistence_.add(truth.frame(k, before));
    if (mean_.value.defined()) mean_state_.add(truth.frame(k, mean_.value.expand_as(before)));
  }
}

std::vector<Baseline> Baselines::results() const {
  const char* about = one_step_ ? "the state stays as it was a frame before" : "the state stays as it was";
  std::vector<Baseline> out{{"persistence", about, persistence_.scores()}};
  if (mean_.value.defined()) out.push_back({"mean_state", mean_.about, mean_state_.scores()});
  return out;
}

}  // namespace cvf::evaluate

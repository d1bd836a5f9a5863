#include "evaluate/kept.hpp"

#include "rollout/forecast_file.hpp"

namespace cvf::evaluate {

void Kept::take(const Truth& truth, const rollout::Forecast& forecast, bool direct) {
  for (std::size_t i = 0; i < truth.rows() && samples_.size() < most_; ++i) {
    const auto count = static_cast<std::int64_t>(truth.times[i].size());
    samples_.push_back(truth.samples[i]);
    if (!truth.contexts.empty() && truth.contexts[i]) contexts_.push_back(truth.contexts[i]);
    times_.push_back(truth.times[i]);
    states_.push_back(
        rollout::tensor_of(forecast.states)[static_cast<std::int64_t>(i)].slice(0, 0, count).clone());
    frames_.push_back(forecast.frames[i]);
    for (std::size_t k = 0; direct && k + 1 < frames_.back().size(); ++k) frames_.back()[k].steps.clear();
  }
}

void Kept::write(const std::string& file, const data::Source& source,
                 std::vector<std::pair<std::string, std::string>> attributes) const {
  const auto& d = source.description();
  data::GroupsPlan plan{state_of(d.channels(), d.state.axes), times_, {}, std::move(attributes)};
  plan.attributes.emplace_back("forecast_of", d.file);
  if (!contexts_.empty()) rollout::add_context(plan, d.context);
  rollout::ForecastFile out(file, std::move(plan), samples_);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    if (!contexts_.empty()) out.write_context(i, *contexts_[i]);
    const auto states = rollout::array_of(states_[i]);
    for (std::size_t k = 0; k < times_[i].size(); ++k) out.write(i, k, states[k]);
  }
  out.write_records(0, frames_);
  out.finish();
}

}  // namespace cvf::evaluate

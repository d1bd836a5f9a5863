#include "runtime/departures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cvf::runtime {
namespace {

constexpr double far_step = 2;

// How far beyond its range a channel may be. A constant one has no width: its own size, or 1, stands in.
double margin(double lowest, double highest) {
  if (highest > lowest) return highest - lowest;
  return highest != 0 ? std::abs(highest) : 1;
}

}  // namespace

Departures::Departures(const model::StateFacts& facts, std::size_t samples, bool steps)
    : lowest_(facts.lowest),
      highest_(facts.highest),
      longest_step_(steps && !facts.lowest.empty() ? far_step * facts.largest_dt
                                                   : std::numeric_limits<double>::infinity()),
      samples_(samples) {
  if (!lowest_.empty()) channels_ = facts.names();
}

template <class T>
void Departures::add_state(std::size_t sample, std::size_t frame, double time, std::span<const T> state) {
  if (lowest_.empty()) return;
  const std::size_t cells = state.size() / lowest_.size();
  for (std::size_t c = 0; c < lowest_.size(); ++c) {
    const double room = margin(lowest_[c], highest_[c]);
    const auto low = static_cast<T>(lowest_[c] - room), high = static_cast<T>(highest_[c] + room);
    const auto own = state.subspan(c * cells, cells);
    const auto found = std::find_if(own.begin(), own.end(), [=](T x) { return x < low || x > high; });
    if (found == own.end()) continue;
    return add(sample, frame, time,
               fmt::format("{} = {:.6g}, where training had {:.6g} to {:.6g}", channels_[c],
                           static_cast<double>(*found), lowest_[c], highest_[c]));
  }
}

void Departures::add_steps(std::size_t sample, std::span<const double> times,
                           std::span<const solvers::Step> steps) {
  for (const auto& step : steps) {
    if (!(step.step > longest_step_)) continue;
    // The step leads to the first time after its beginning.
    const auto next = std::find_if(times.begin(), times.end(), [&](double t) { return t > step.time; });
    const auto frame = static_cast<std::size_t>(std::min(next, times.end() - 1) - times.begin());
    add(sample, frame, step.time,
        fmt::format("a step of {:.6g}, where training had {:.6g} at most", step.step,
                    longest_step_ / far_step));
  }
}

void Departures::add(std::size_t sample, std::size_t frame, double time, const std::string& what) {
  Sample& own = samples_[sample];
  own.times.emplace(frame, time);
  if (own.message.empty())
    own.message = fmt::format("outside of training at time {:.6g}: {}; the model extrapolates", time, what);
}

void Departures::mark(std::size_t sample, std::size_t frame, solvers::RowStatus& row_status) const {
  const auto found = samples_[sample].times.find(frame);
  if (found != samples_[sample].times.end())
    row_status.worsen(solvers::Status::outside_training, found->second, 0);
}

template void Departures::add_state<float>(std::size_t, std::size_t, double, std::span<const float>);
template void Departures::add_state<double>(std::size_t, std::size_t, double, std::span<const double>);

}  // namespace cvf::runtime

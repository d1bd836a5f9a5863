#include "rollout/forecast_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"

namespace cvf::rollout {
namespace {

using solvers::Status;

data::GroupsPlan completed(data::GroupsPlan plan) {
  plan.scalar_names = {"source_sample", "evaluations", "accepted", "rejected", "status", "largest_nre"};
  const auto parameters = plan.state.names(Role::parameter);
  plan.scalar_names.insert(plan.scalar_names.end(), parameters.begin(), parameters.end());
  std::string names;
  for (int status = 0; status < solvers::num_statuses; ++status)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", solvers::name(static_cast<Status>(status)));
  plan.attributes.emplace_back("status_names", names);
  return plan;
}

std::vector<double> scalars_of(std::size_t source, const std::vector<Frame>& frames) {
  solvers::Counts sum;
  solvers::RowStatus worst;
  double nre = NAN;
  for (const auto& frame : frames) {
    sum.evaluations += frame.counts.evaluations;
    sum.accepted += frame.counts.accepted;
    sum.rejected += frame.counts.rejected;
    worst.worsen(frame.row_status.status, 0, 0);
    for (const auto& step : frame.steps) nre = std::fmax(nre, step.error);
  }
  return {static_cast<double>(source),       static_cast<double>(sum.evaluations),
          static_cast<double>(sum.accepted), static_cast<double>(sum.rejected),
          static_cast<double>(worst.status), nre};
}

// A single state.
std::vector<float> channel_last(const StateArray& state) {
  const auto channels = static_cast<std::size_t>(state.state[0]);
  return state.visit([channels](auto values) {
    std::vector<float> out(values.size());
    const std::size_t cells = values.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < cells; ++i)
        out[i * channels + c] = static_cast<float>(values[c * cells + i]);
    }
    return out;
  });
}

template <class Of>
std::vector<double> column(const std::vector<Frame>& frames, Of of) {
  std::vector<double> out;
  for (const auto& frame : frames) out.push_back(static_cast<double>(of(frame)));
  return out;
}

void add_steps(std::vector<data::SmallArray>& arrays, std::size_t sample, const std::vector<Frame>& frames) {
  std::vector<double> time, step, nre;
  for (const auto& frame : frames) {
    for (const auto& s : frame.steps) time.push_back(s.time), step.push_back(s.step), nre.push_back(s.error);
  }
  arrays.push_back({sample, "steps", "time", time});
  arrays.push_back({sample, "steps", "step", step});
  arrays.push_back({sample, "steps", "nre", nre});
}

void add_frames(std::vector<data::SmallArray>& arrays, std::size_t sample, const std::vector<Frame>& frames) {
  const auto add = [&](const char* name, auto of) {
    arrays.push_back({sample, "frames", name, column(frames, of)});
  };
  add("evaluations", [](const Frame& f) { return f.counts.evaluations; });
  add("accepted", [](const Frame& f) { return f.counts.accepted; });
  add("rejected", [](const Frame& f) { return f.counts.rejected; });
  add("status", [](const Frame& f) { return static_cast<int>(f.row_status.status); });
}

// Each of `count` controls with `values` numbers at a time, from a series [T, count, values] to `times`.
std::vector<std::vector<float>> series_at(const std::vector<double>& known, const std::vector<float>& series,
                                          std::size_t count, std::size_t values,
                                          const std::vector<double>& times) {
  std::vector<std::vector<float>> out(count);
  std::vector<float> all(count * values);
  for (std::size_t t = 0; count > 0 && t < times.size(); ++t) {
    model::interpolate(known, series.data(), all.size(), times[t], true, all.data());
    for (std::size_t i = 0; i < count; ++i)
      out[i].insert(out[i].end(), &all[i * values], &all[i * values] + values);
  }
  return out;
}

}  // namespace

ForecastFile::ForecastFile(const std::string& path, data::GroupsPlan plan, std::vector<std::size_t> sources)
    : sources_(std::move(sources)),
      lock_(path),
      writer_(path, completed(std::move(plan)), data::Remains::discarded),
      records_(writer_.plan().samples()) {}

void add_context(data::GroupsPlan& plan, const ContextNames& names) {
  plan.state.set_names(Role::parameter, names.parameters)
      .set_names(Role::static_field, names.statics)
      .set_names(Role::control, names.controls)
      .set_names(Role::control_field, names.control_fields);
}

void ForecastFile::write_context(std::size_t sample, const SampleContext& context) {
  const auto& plan = writer_.plan();
  parameters_[sample] = context.parameters;
  const std::size_t cells = plan.state.cells();
  for (std::size_t i = 0; i < plan.state.count(Role::static_field); ++i)
    writer_.write_static(sample, i, std::span(context.statics).subspan(i * cells, cells));
  const auto& times = plan.times[sample];
  const auto at_frames =
      series_at(context.times, context.controls, plan.state.count(Role::control), 1, times);
  for (std::size_t i = 0; i < at_frames.size(); ++i) writer_.write_control(sample, i, at_frames[i]);
  const auto fields =
      series_at(context.times, context.control_fields, plan.state.count(Role::control_field), cells, times);
  for (std::size_t i = 0; i < fields.size(); ++i) writer_.write_control_field(sample, i, fields[i]);

  const auto controls = plan.state.names(Role::control);
  if (controls.empty() || context.times == times) return;
  series_.push_back({sample, "control_series", "t", context.times});
  for (std::size_t i = 0; i < controls.size(); ++i) {
    std::vector<double> given;
    for (std::size_t k = i; k < context.controls.size(); k += controls.size())
      given.push_back(context.controls[k]);
    series_.push_back({sample, "control_series", controls[i], std::move(given)});
  }
}

void ForecastFile::write(std::size_t sample, std::size_t frame, const StateArray& state) {
  writer_.write_frame(sample, frame, channel_last(state));
}

void ForecastFile::write_beside(std::string_view name, std::size_t sample, std::size_t frame,
                                const StateArray& values) {
  const auto& beside = writer_.plan().beside;
  const auto which = std::find(beside.begin(), beside.end(), name) - beside.begin();
  writer_.write_beside(sample, static_cast<std::size_t>(which), frame, channel_last(values));
}

void ForecastFile::write_missing(std::size_t sample, const std::vector<Frame>& frames) {
  const std::vector<float> nothing(writer_.plan().frame_size(), NAN);
  for (std::size_t k = 1; k < frames.size(); ++k) {
    if (reaches_target(frames[k].row_status.status)) continue;
    writer_.write_frame(sample, k, nothing);
    for (std::size_t i = 0; i < writer_.plan().beside.size(); ++i)
      writer_.write_beside(sample, i, k, nothing);
  }
}

void ForecastFile::write_records(std::size_t first, const std::vector<std::vector<Frame>>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::size_t sample = first + i;
    write_missing(sample, frames[i]);
    auto scalars = scalars_of(sources_[sample], frames[i]);
    const auto& parameters = parameters_[sample];
    scalars.insert(scalars.end(), parameters.begin(), parameters.end());
    writer_.write_scalars(sample, scalars);
    writer_.finish_sample(sample);
    records_[sample] = frames[i];
  }
}

// How many steps there are is known at the end only. Portions: HDF5 takes its time over many arrays.
void ForecastFile::finish() {
  constexpr std::size_t portion = 1000;
  std::vector<data::SmallArray> arrays;
  for (std::size_t sample = 0; sample < records_.size(); ++sample) {
    add_steps(arrays, sample, records_[sample]);
    add_frames(arrays, sample, records_[sample]);
    const auto bars = bars_.find(sample);
    if (bars != bars_.end()) arrays.push_back({sample, "frames", "error_bar", bars->second});
    if (arrays.size() < portion && sample + 1 < records_.size()) continue;
    interrupt::throw_if_requested("no forecast was written");
    writer_.add(arrays);
    arrays.clear();
  }
  writer_.add(series_);
  writer_.finish();
}

}  // namespace cvf::rollout

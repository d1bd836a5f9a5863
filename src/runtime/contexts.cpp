#include "runtime/contexts.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::runtime {
namespace {

std::string names_of(const model::ContextSpec& spec) {
  const auto names = spec.names();
  std::vector<std::string> out;
  for (const auto* some : {&names.parameters, &names.statics, &names.controls, &names.control_fields})
    out.insert(out.end(), some->begin(), some->end());
  return text::join(out);
}

// (value - mean) / deviation of each series of `each` values
template <class Given, class T>
T* put_scaled(const std::vector<Given>& values, const model::Scaled& scale, std::size_t each, T* to) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / each;
    *to++ = static_cast<T>((static_cast<double>(values[i]) - scale.mean[c]) / scale.deviation[c]);
  }
  return to;
}

}  // namespace

Contexts::Contexts(const Model& model, std::vector<SampleContextPointer> samples, std::size_t rows)
    : spec_(model.spec().context),
      samples_(std::move(samples)),
      one_for_all_(samples_.size() == 1),
      cells_(model.cells()) {
  if (spec_.empty()) {
    if (!samples_.empty()) throw UsageError("the model takes no context");
    return;
  }
  if (samples_.empty()) throw UsageError("the model takes a context ({}): give one", names_of(spec_));
  if (!one_for_all_ && samples_.size() != rows) {
    throw UsageError("{} states have {} contexts: give one for each, or one for all", rows, samples_.size());
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    model::check_context(spec_, samples_[i].get(), i, cells_);
    const bool moves = !spec_.controls.names.empty() || !spec_.control_fields.names.empty();
    if (moves && samples_[i]->times.empty()) throw DataError("sample {}: its controls have no times", i);
  }
}

void Contexts::check_covers(std::size_t sample, double from, double to) const {
  model::check_covers(of(sample), sample, from, to);
}

template <class T>
Contexts::Seen<T> Contexts::over(std::span<const std::int64_t> samples, std::span<const double> begin,
                                 std::span<const double> dt) const {
  const auto nodes = static_cast<std::size_t>(spec_.nodes);
  const std::size_t controls = nodes * spec_.controls.names.size(),
                    moving = nodes * spec_.control_fields.names.size() * cells_;
  Seen<T> out;
  out.conditions.resize(samples.size() * (spec_.parameters.names.size() + controls));
  out.beside.resize(samples.size() * (spec_.statics.names.size() * cells_ + moving));
  T *condition = out.conditions.data(), *beside = out.beside.data();
  std::vector<T> series(std::max(controls, moving));
  const auto put_controls = [&](const model::Scaled& scale, const SampleContext& sample,
                                const std::vector<float> SampleContext::*which, double from, double step,
                                std::size_t cells, std::size_t count, T* to) {
    model::controls_over(scale, sample, which, spec_.nodes, from, step, cells, series.data());
    return std::copy_n(series.data(), count, to);
  };
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const SampleContext& sample = of(static_cast<std::size_t>(samples[k]));
    const double step = dt.empty() ? 0 : dt[k];
    condition = put_scaled(sample.parameters, spec_.parameters, 1, condition);
    beside = put_scaled(sample.statics, spec_.statics, cells_, beside);
    if (controls > 0)
      condition = put_controls(spec_.controls, sample, &SampleContext::controls, begin[k], step, 1, controls,
                               condition);
    if (moving > 0)
      beside = put_controls(spec_.control_fields, sample, &SampleContext::control_fields, begin[k], step,
                            cells_, moving, beside);
  }
  return out;
}

template Contexts::Seen<float> Contexts::over<float>(std::span<const std::int64_t>, std::span<const double>,
                                                     std::span<const double>) const;
template Contexts::Seen<double> Contexts::over<double>(std::span<const std::int64_t>, std::span<const double>,
                                                       std::span<const double>) const;

}  // namespace cvf::runtime

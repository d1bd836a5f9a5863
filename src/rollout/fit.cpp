#include "rollout/fit.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/source.hpp"
#include "model/grid.hpp"

namespace cvf::rollout {
namespace {

// The names of the model's context, as a data file is asked for it.
data::ContextOptions context_options(const model::ContextSpec& spec) {
  const auto names = spec.names();
  data::ContextOptions out{names.parameters, names.statics, names.controls};
  out.controls.insert(out.controls.end(), names.control_fields.begin(), names.control_fields.end());
  return out;
}

void check_given(const data::GivenContext& given, const ContextNames& names) {
  for (const auto& [name, value] : given.parameters) {
    if (std::find(names.parameters.begin(), names.parameters.end(), name) != names.parameters.end()) continue;
    if (names.parameters.empty())
      throw UsageError("--parameter {}={}: the model takes no parameters", name, value);
    throw UsageError("--parameter {}={}: the model takes no such parameter{}", name, value,
                     text::suggestion(name, names.parameters));
  }
  if (given.file.empty()) return;
  if (!names.control_fields.empty()) {
    throw UsageError(
        "--controls {}: the model's control '{}' is a field on the grid, which a series does not give",
        given.file, names.control_fields[0]);
  }
  if (names.controls.empty()) throw UsageError("--controls {}: the model takes no controls", given.file);
}

}  // namespace

std::string misfit(const StateSpec& grid, const Facts& model, bool any_spacing) {
  return model::misfit(grid, model.state, model.any_grid, any_spacing);
}

SampleContexts contexts_of(const data::Source& source, std::span<const std::size_t> samples) {
  SampleContexts out;
  if (source.description().context.empty()) return out;
  for (const auto sample : samples) out.push_back(source.context(sample));
  return out;
}

void check_fits(const data::Source& source, const Facts& model, bool any_spacing) {
  const auto& d = source.description();
  const auto& s = model.state;
  if (d.channels() != s.names()) {
    throw DataError(
        "{}: has the channels {}, but the model was trained on {}; --channels says which of the file's they "
        "are, in this order",
        d.file, text::join(d.channels()), text::join(s.names()));
  }
  const std::string wrong = misfit(d.state, model, any_spacing);
  if (!wrong.empty()) {
    const bool only_spacing = misfit(d.state, model, true).empty();
    throw DataError("{}: {}{}", d.file, wrong, only_spacing ? "; --allow-spacing uses it nevertheless" : "");
  }
  if (model.any_grid && d.state.boundary() != s.boundary()) {
    log::warning("{}: has the boundary {}, but the model was trained on {} and pads as it did then", d.file,
                 d.state.boundary(), s.boundary());
  }
}

std::shared_ptr<const data::Source> fitted(std::shared_ptr<const data::Source> source, const Facts& model,
                                           const std::vector<std::string>& channels, bool any_spacing,
                                           const data::GivenContext& given) {
  const auto wanted = model.state.names();
  check_given(given, model.context.names());
  if (!given.empty() || source->description().context != model.context.names())
    source = data::with_context(std::move(source), context_options(model.context), given);
  const auto own = source->description().channels();
  if (!channels.empty() && channels.size() != wanted.size()) {
    throw UsageError("--channels {}: the model has {} channels, {}: name one of the file's for each",
                     text::join(channels, ","), wanted.size(), text::join(wanted));
  }
  if (!channels.empty()) {
    source = data::renamed(data::with_channels(std::move(source), channels), wanted);
  } else if (own != wanted && std::is_permutation(own.begin(), own.end(), wanted.begin(), wanted.end())) {
    log::note("{}: has the channels {}; they are put into the order of the model, {}",
              source->description().file, text::join(own), text::join(wanted));
    source = data::with_channels(std::move(source), wanted);
  }
  check_fits(*source, model, any_spacing);
  return source;
}

void warn_of_extrapolation(const data::Source& source, const Facts& model,
                           std::span<const std::size_t> samples) {
  if (model.context.parameters.lowest.empty()) return;
  std::string first;
  std::size_t more = 0;
  for (const auto sample : samples) {
    const auto outside = model.context.extrapolation(*source.context(sample));
    if (outside.empty()) continue;
    if (first.empty()) {
      first = fmt::format("sample {}: {}", sample, outside);
    } else {
      ++more;
    }
  }
  if (first.empty()) return;
  log::warning("{}{}: the model extrapolates", first,
               more > 0 ? fmt::format(", and {} more sample{}", more, more > 1 ? "s" : "") : "");
}

solvers::Context context_of(const Facts& model, std::shared_ptr<const solvers::StepErrors> step_errors) {
  return {.delta_min = model.state.delta_min,
          .largest_step = model.state.step_bound(),
          .time_unit = model.time_unit,
          .step_errors = std::move(step_errors)};
}

}  // namespace cvf::rollout

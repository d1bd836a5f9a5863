#include "data/context.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/source.hpp"

namespace cvf::data {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class InContext : public Source {
 public:
  InContext(std::shared_ptr<const Source> below, const ContextOptions& options, const GivenContext& given)
      : below_(std::move(below)), options_(options), given_(given) {
    const auto& d = below_->description();
    const bool on_grid = !d.state.is_vector();
    const Names channels = d.channels(), fields = d.state.names(Role::control_field);
    ContextNames names;
    names.parameters = options.parameters;
    names.statics = options.statics;
    for (const auto& name : options.controls) {
      const bool is_field = on_grid && (has(channels, name) || has(fields, name)) && given_.file.empty();
      (is_field ? names.control_fields : names.controls).push_back(name);
    }
    check_names(names, on_grid);
    Names left = channels;
    std::erase_if(left, [&](const auto& name) { return is_context(name); });
    if (left.empty()) throw DataError("{}: no channel is left for the state", d.file);
    states_ = with_channels(below_, left);
    description_ = states_->description();
    description_.context = std::move(names);
  }

  const Description& description() const override { return description_; }
  std::vector<double> times(std::size_t sample) const override { return below_->times(sample); }
  std::map<std::string, double> scalars(std::size_t sample) const override { return below_->scalars(sample); }
  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    states_->read(sample, first, count, out);
  }

  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    return below_->static_field(sample, name);
  }
  std::vector<float> control(std::size_t sample, const std::string& name) const override {
    return below_->control(sample, name);
  }

  SampleContextPointer context(std::size_t sample) const override {
    auto out = std::make_shared<SampleContext>();
    const auto& names = description_.context;
    const auto scalars = below_->scalars(sample);
    for (const auto& name : names.parameters) {
      const auto given = given_.parameters.find(name);
      const auto found = scalars.find(name);
      out->parameters.push_back(given != given_.parameters.end() ? given->second
                                : found != scalars.end()         ? found->second
                                                                 : constant(sample, name));
      if (std::isfinite(out->parameters.back())) continue;
      throw DataError("{}: sample {}: the parameter '{}' is not finite", description_.file, sample, name);
    }
    for (const auto& name : names.statics) {
      const auto field = is_channel(name) ? channel(sample, name, 1) : below_->static_field(sample, name);
      out->statics.insert(out->statics.end(), field.begin(), field.end());
    }
    if (names.controls.empty() && names.control_fields.empty()) return out;
    if (!given_.file.empty()) {
      out->times = given_.times;
      add_given(names.controls, out->controls);
      return out;
    }
    out->times = below_->times(sample);
    add_series(sample, names.controls, 1, out->controls);
    add_series(sample, names.control_fields, cells(), out->control_fields);
    return out;
  }

 private:
  bool is_context(const std::string& name) const {
    return has(options_.parameters, name) || has(options_.statics, name) || has(options_.controls, name);
  }
  bool is_channel(const std::string& name) const { return has(below_->description().channels(), name); }
  std::size_t cells() const { return description_.state.cells(); }

  void check_names(const ContextNames& names, bool on_grid) const {
    const auto& d = below_->description();
    const auto scalars = d.samples > 0 ? below_->scalars(0) : std::map<std::string, double>{};
    const Names channels = d.channels(), statics = d.state.names(Role::static_field),
                controls = d.state.names(Role::control);
    Names known = channels;
    const auto require = [&](const char* key, const std::string& name, bool there) {
      if (there || is_channel(name)) return;
      throw DataError("{}: data.{}: the file has no '{}'{}", d.file, key, name,
                      text::suggestion(name, known));
    };
    for (const auto& [name, value] : scalars) known.push_back(name);
    for (const auto& name : names.parameters)
      require("parameters", name, scalars.contains(name) || given_.parameters.contains(name));
    known = channels;
    known.insert(known.end(), statics.begin(), statics.end());
    for (const auto& name : names.statics) require("static", name, has(statics, name));
    if (!names.statics.empty() && !on_grid) {
      throw DataError("{}: data.static: its states have no grid; name '{}' in data.parameters", d.file,
                      names.statics[0]);
    }
    known = channels;
    known.insert(known.end(), controls.begin(), controls.end());
    for (const auto& name : d.state.names(Role::control_field)) known.push_back(name);
    for (const auto& name : names.controls) {
      if (given_.file.empty()) require("controls", name, has(controls, name));
      if (!given_.file.empty() && !has(given_.controls, name)) {
        throw DataError("{}: has no control '{}'{}", given_.file, name,
                        text::suggestion(name, given_.controls));
      }
    }
    Names all = options_.parameters;
    all.insert(all.end(), options_.statics.begin(), options_.statics.end());
    all.insert(all.end(), options_.controls.begin(), options_.controls.end());
    std::sort(all.begin(), all.end());
    const auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice != all.end()) throw ConfigError("data: '{}' has two roles; give it one", *twice);
  }

  // The first `frames` frames of a channel.
  std::vector<float> channel(std::size_t sample, const std::string& name, std::size_t frames) const {
    const auto one = with_channels(below_, {name});
    std::vector<float> out(frames * one->description().frame_size());
    one->read(sample, 0, frames, out);
    require_finite(*one, sample, 0, out);
    return out;
  }

  double constant(std::size_t sample, const std::string& name) const {
    const auto values = channel(sample, name, below_->description().frames.at(sample));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    if (*high - *low <= 1e-5F * std::max(std::abs(*low), std::abs(*high))) return values.front();
    throw DataError(
        "{}: sample {}: the channel '{}' goes from {} to {}: no parameter; a control or a static field "
        "changes",
        description_.file, sample, name, *low, *high);
  }

  void add_series(std::size_t sample, const Names& names, std::size_t each, std::vector<float>& out) const {
    const std::size_t frames = below_->description().frames.at(sample);
    out.resize(frames * names.size() * each);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto values =
          is_channel(names[i]) ? channel(sample, names[i], frames) : below_->control(sample, names[i]);
      if (values.size() != frames * each) {
        throw DataError("{}: sample {}: the control '{}' has {} values for {} frames", description_.file,
                        sample, names[i], values.size(), frames);
      }
      for (std::size_t f = 0; f < frames; ++f) {
        std::copy_n(&values[f * each], each, &out[(f * names.size() + i) * each]);
      }
    }
  }

  void add_given(const Names& names, std::vector<float>& out) const {
    const auto& columns = given_.controls;
    for (std::size_t t = 0; t < given_.times.size(); ++t) {
      for (const auto& name : names) {
        const auto column = std::find(columns.begin(), columns.end(), name) - columns.begin();
        out.push_back(given_.values[t * columns.size() + static_cast<std::size_t>(column)]);
      }
    }
  }

  std::shared_ptr<const Source> below_, states_;
  ContextOptions options_;
  GivenContext given_;
  Description description_;
};

}  // namespace

void ContextOptions::describe(config::Section& s) {
  s.key("parameters", &parameters,
        "numbers of a sample that its states move under: scalars of the file, or channels that never change");
  s.key("static", &statics, "fields that do not change with time: static fields of the file, or channels");
  s.key("controls", &controls,
        "known over the whole forecast: control series or fields of the file, or channels");
}

std::shared_ptr<const Source> with_context(std::shared_ptr<const Source> source,
                                           const ContextOptions& options, const GivenContext& given) {
  if (options.empty()) return source;
  return std::make_shared<InContext>(std::move(source), options, given);
}

}  // namespace cvf::data

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/source.hpp"

namespace cvf::data {
namespace {

/// Forwards everything but `read` to the source below.
class Derived : public Source {
 public:
  Derived(std::shared_ptr<const Source> below)
      : below_(std::move(below)), description_(below_->description()) {}
  const Description& description() const override { return description_; }
  std::vector<double> times(std::size_t sample) const override { return below_->times(sample); }
  std::map<std::string, double> scalars(std::size_t sample) const override { return below_->scalars(sample); }
  SampleContextPointer context(std::size_t sample) const override { return below_->context(sample); }
  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    return below_->static_field(sample, name);
  }
  std::vector<float> control(std::size_t sample, const std::string& name) const override {
    return below_->control(sample, name);
  }

 protected:
  std::vector<float> read_below(std::size_t sample, std::size_t first, std::size_t count) const {
    std::vector<float> values(count * below_->description().frame_size());
    below_->read(sample, first, count, values);
    return values;
  }

  std::shared_ptr<const Source> below_;
  Description description_;
};

class ChannelChoice : public Derived {
 public:
  ChannelChoice(std::shared_ptr<const Source> source, const std::vector<std::string>& wanted)
      : Derived(std::move(source)) {
    const auto known = below_->description().channels();
    for (const auto& name : wanted) {
      const auto place = std::find(known.begin(), known.end(), name);
      if (place == known.end()) {
        throw DataError("{}: no channel '{}'{}", description_.file, name, text::suggestion(name, known));
      }
      picks_.push_back(static_cast<std::size_t>(place - known.begin()));
    }
    description_.state.set_names(Role::state, wanted);
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    const auto values = read_below(sample, first, count);
    const std::size_t stride = below_->description().state.count(Role::state);
    std::size_t at = 0;
    for (std::size_t cell = 0; cell < values.size(); cell += stride) {
      for (const std::size_t pick : picks_) out[at++] = values[cell + pick];
    }
  }

 private:
  std::vector<std::size_t> picks_;
};

class OtherNames : public Derived {
 public:
  OtherNames(std::shared_ptr<const Source> source, const std::vector<std::string>& names)
      : Derived(std::move(source)) {
    description_.state.set_names(Role::state, names);
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    below_->read(sample, first, count, out);
  }
};

class BlockAverage : public Derived {
 public:
  BlockAverage(std::shared_ptr<const Source> source, std::size_t factor)
      : Derived(std::move(source)), factor_(factor) {
    auto axes = description_.state.axes;
    if (axes.empty()) throw DataError("{}: its states have no grid to average over", description_.file);
    for (auto& axis : axes) {
      if (axis.size % factor != 0) {
        throw DataError(
            "{}: a grid of {} cannot be averaged in blocks of {}; take a divisor of all its sides",
            description_.file, description_.state.grid_text(), factor);
      }
      axis.size /= factor;
      axis.coordinates = means(axis.coordinates, factor);
    }
    description_.state.set_axes(std::move(axes));
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    average(read_below(sample, first, count), description_.state.count(Role::state), out);
  }

  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    std::vector<float> out(description_.state.cells());
    average(below_->static_field(sample, name), 1, out);
    return out;
  }

  std::vector<float> control(std::size_t sample, const std::string& name) const override {
    auto values = below_->control(sample, name);
    const auto fields = description_.state.names(Role::control_field);
    if (std::find(fields.begin(), fields.end(), name) == fields.end()) return values;
    std::vector<float> out(description_.frames.at(sample) * description_.state.cells());
    average(values, 1, out);
    return out;
  }

 private:
  // Along one axis after the other, from the fastest: sums of `factor_` neighbours.
  void average(const std::vector<float>& values, std::size_t channels, std::span<float> out) const {
    std::vector<double> sums(values.begin(), values.end());
    const auto& axes = below_->description().state.axes;
    std::size_t stride = channels;  // of the axis, in what is left
    double share = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      const std::size_t coarse = axis->size / factor_, blocks = sums.size() / (stride * factor_);
      std::vector<double> next(blocks * stride, 0.0);
      for (std::size_t block = 0; block < blocks; ++block) {
        for (std::size_t j = 0; j < factor_; ++j) {
          for (std::size_t i = 0; i < stride; ++i)
            next[block * stride + i] += sums[(block * factor_ + j) * stride + i];
        }
      }
      sums = std::move(next);
      stride *= coarse;
      share /= static_cast<double>(factor_);
    }
    std::transform(sums.begin(), sums.end(), out.begin(),
                   [share](double sum) { return static_cast<float>(sum * share); });
  }

  static std::vector<double> means(const std::vector<double>& fine, std::size_t factor) {
    std::vector<double> coarse;
    for (std::size_t i = 0; i + factor <= fine.size(); i += factor) {
      double sum = 0;
      for (std::size_t j = 0; j < factor; ++j) sum += fine[i + j];
      coarse.push_back(sum / static_cast<double>(factor));
    }
    return coarse;
  }

  std::size_t factor_;
};

/// The axes whose coordinates descend, turned round.
class Ascending : public Derived {
 public:
  explicit Ascending(std::shared_ptr<const Source> source) : Derived(std::move(source)) {
    for (auto& axis : description_.state.axes) {
      turned_.push_back(descends(axis));
      if (!turned_.back()) continue;
      description_.notes.push_back(fmt::format(
          "{} runs from {:g} down to {:g} in the file: its order is turned, here and in forecasts", axis.name,
          axis.coordinates.front(), axis.coordinates.back()));
      std::ranges::reverse(axis.coordinates);
      std::swap(axis.boundary.low, axis.boundary.high);
    }
  }

  static bool descends(const Axis& axis) {
    return axis.coordinates.size() > 1 &&
           std::ranges::adjacent_find(axis.coordinates, std::ranges::less_equal{}) == axis.coordinates.end();
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    below_->read(sample, first, count, out);
    turn(out, description_.state.count(Role::state));
  }

  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    auto values = below_->static_field(sample, name);
    turn(values, 1);
    return values;
  }

  std::vector<float> control(std::size_t sample, const std::string& name) const override {
    auto values = below_->control(sample, name);
    const auto fields = description_.state.names(Role::control_field);
    if (std::ranges::find(fields, name) != fields.end()) turn(values, 1);
    return values;
  }

 private:
  // Whole grids of `channels` values a cell.
  void turn(std::span<float> values, std::size_t channels) const {
    const auto& axes = description_.state.axes;
    std::size_t stride = channels;  // between neighbours along the axis
    for (std::size_t a = axes.size(); a-- > 0;) {
      const std::size_t line = stride * axes[a].size;
      for (std::size_t begin = 0; turned_[a] && begin < values.size(); begin += line) {
        for (std::size_t low = 0, high = axes[a].size - 1; low < high; ++low, --high) {
          const auto cell = values.subspan(begin + low * stride, stride);
          std::ranges::swap_ranges(cell, values.subspan(begin + high * stride, stride));
        }
      }
      stride = line;
    }
  }

  std::vector<bool> turned_;  // of each axis
};

}  // namespace

std::unique_ptr<Source> ascending(std::unique_ptr<Source> source) {
  if (std::ranges::none_of(source->description().state.axes, Ascending::descends)) return source;
  return std::make_unique<Ascending>(std::move(source));
}

std::shared_ptr<const Source> with_channels(std::shared_ptr<const Source> source,
                                            const std::vector<std::string>& channels) {
  if (channels.empty() || channels == source->description().channels()) return source;
  return std::make_shared<ChannelChoice>(std::move(source), channels);
}

std::shared_ptr<const Source> renamed(std::shared_ptr<const Source> source, std::vector<std::string> names) {
  if (names.size() != source->description().channels().size()) {
    throw UsageError("{}: {} names for its {} channels", source->description().file, names.size(),
                     source->description().channels().size());
  }
  if (names == source->description().channels()) return source;
  return std::make_shared<OtherNames>(std::move(source), names);
}

std::shared_ptr<const Source> averaged(std::shared_ptr<const Source> source, std::size_t factor) {
  if (factor <= 1) return source;
  return std::make_shared<BlockAverage>(std::move(source), factor);
}

}  // namespace cvf::data

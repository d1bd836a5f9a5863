#include "data/derived.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/text.hpp"

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
    const auto& known = below_->description().channels;
    for (const auto& name : wanted) {
      const auto place = std::find(known.begin(), known.end(), name);
      if (place == known.end()) {
        throw DataError("{}: no channel '{}'{}", description_.file, name, text::suggestion(name, known));
      }
      picks_.push_back(static_cast<std::size_t>(place - known.begin()));
    }
    description_.channels = wanted;
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    const auto values = read_below(sample, first, count);
    const std::size_t stride = below_->description().channels.size();
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
  OtherNames(std::shared_ptr<const Source> source, std::vector<std::string> names)
      : Derived(std::move(source)) {
    description_.channels = std::move(names);
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    below_->read(sample, first, count, out);
  }
};

class BlockAverage : public Derived {
 public:
  BlockAverage(std::shared_ptr<const Source> source, std::size_t factor)
      : Derived(std::move(source)), fx_(factor), fy_(below_->description().ny == 1 ? 1 : factor) {
    auto& d = description_;
    if (d.nx % fx_ != 0 || d.ny % fy_ != 0) {
      throw DataError("{}: a grid of {} x {} cannot be averaged in blocks of {}; take a divisor of both",
                      d.file, d.ny, d.nx, factor);
    }
    d.nx /= fx_;
    d.ny /= fy_;
    d.x = means(d.x, fx_);
    d.y = means(d.y, fy_);
  }

  void read(std::size_t sample, std::size_t first, std::size_t count, std::span<float> out) const override {
    average(read_below(sample, first, count), count, description_.channels.size(), out);
  }

  std::vector<float> static_field(std::size_t sample, const std::string& name) const override {
    std::vector<float> out(description_.ny * description_.nx);
    average(below_->static_field(sample, name), 1, 1, out);
    return out;
  }

 private:
  void average(const std::vector<float>& values, std::size_t count, std::size_t channels,
               std::span<float> out) const {
    const std::size_t fine_nx = description_.nx * fx_, rows = count * description_.ny;
    const double share = 1.0 / static_cast<double>(fx_ * fy_);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t ix = 0; ix < description_.nx; ++ix) {
        for (std::size_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (std::size_t jy = 0; jy < fy_; ++jy) {
            const float* cells = &values[((row * fy_ + jy) * fine_nx + ix * fx_) * channels + c];
            for (std::size_t jx = 0; jx < fx_; ++jx) sum += cells[jx * channels];
          }
          out[(row * description_.nx + ix) * channels + c] = static_cast<float>(sum * share);
        }
      }
    }
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

  std::size_t fx_, fy_;
};

}  // namespace

std::shared_ptr<const Source> with_channels(std::shared_ptr<const Source> source,
                                            const std::vector<std::string>& channels) {
  if (channels.empty() || channels == source->description().channels) return source;
  return std::make_shared<ChannelChoice>(std::move(source), channels);
}

std::shared_ptr<const Source> renamed(std::shared_ptr<const Source> source, std::vector<std::string> names) {
  if (names.size() != source->description().channels.size()) {
    throw UsageError("{}: {} names for its {} channels", source->description().file, names.size(),
                     source->description().channels.size());
  }
  if (names == source->description().channels) return source;
  return std::make_shared<OtherNames>(std::move(source), std::move(names));
}

std::shared_ptr<const Source> averaged(std::shared_ptr<const Source> source, std::size_t factor) {
  if (factor <= 1) return source;
  return std::make_shared<BlockAverage>(std::move(source), factor);
}

}  // namespace cvf::data

#include <algorithm>
#include <numeric>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "data/convert.hpp"
#include "data/npz_writer.hpp"

namespace cvf::data {
namespace {

class Conversion {
 public:
  Conversion(const Source& source, std::vector<std::size_t> samples, NpzWriter& out)
      : source_(source), about_(source.description()), samples_(std::move(samples)), out_(out) {
    if (samples_.empty()) {
      samples_.resize(about_.samples);
      std::iota(samples_.begin(), samples_.end(), std::size_t{0});
    }
    frames_ = about_.frames.at(samples_.front());
    for (const std::size_t sample : samples_) {
      if (about_.frames.at(sample) == frames_) continue;
      throw DataError(
          "{}: sample {} has {} frames and sample {} has {}, but an array needs one length; write an .h5, or "
          "choose --samples",
          about_.file, samples_.front(), frames_, sample, about_.frames[sample]);
    }
  }

  void write() {
    write_states();
    write_times();
    for (const auto& axis : about_.state.axes) {
      if (axis.coordinates.size() == axis.size) out_.add(axis.name, {axis.size}, axis.coordinates);
    }
    write_numbers();
    for (const auto& name : about_.state.names(Role::static_field)) write_static(name);
    for (const auto& name : about_.state.names(Role::control)) write_control("control.", name, {frames_});
    Extents frames = grid();
    frames.insert(frames.begin(), frames_);
    for (const auto& name : about_.state.names(Role::control_field))
      write_control("control_field.", name, frames);
    write_words();
    out_.close();
  }

 private:
  Extents each(const Extents& extents) const {
    Extents out{samples_.size()};
    out.insert(out.end(), extents.begin(), extents.end());
    return out;
  }

  Extents grid() const {
    Extents out;
    for (const auto& axis : about_.state.axes) out.push_back(axis.size);
    return out;
  }

  void write_states() {
    Extents frame = grid();
    frame.insert(frame.begin(), frames_);
    frame.push_back(about_.state.count(Role::state));
    out_.begin("states", each(frame));
    const std::size_t size = about_.frame_size();
    const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 22) / size, 1, frames_);
    std::vector<float> values(block * size);
    Progress progress("writing", samples_.size(), "samples");
    for (const std::size_t sample : samples_) {
      for (std::size_t first = 0; first < frames_; first += block) {
        interrupt::throw_if_requested("no file was written");
        const std::size_t count = std::min(block, frames_ - first);
        const auto part = std::span(values).first(count * size);
        source_.read(sample, first, count, part);
        out_.append(part);
      }
      progress.advance();
    }
  }

  // One row for all samples where they have the same times.
  void write_times() {
    std::vector<std::vector<double>> rows;
    for (const std::size_t sample : samples_) rows.push_back(source_.times(sample));
    if (std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row == rows.front(); }))
      return out_.add("t", {frames_}, rows.front());
    std::vector<double> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    out_.add("t", each({frames_}), all);
  }

  void write_numbers() {
    std::map<std::string, std::vector<double>> columns;
    for (const std::size_t sample : samples_) {
      for (const auto& [name, value] : source_.scalars(sample)) columns[name].push_back(value);
    }
    for (const auto& [name, values] : columns) {
      if (values.size() == samples_.size()) out_.add(name, {values.size()}, values);
    }
  }

  void write_static(const std::string& name) {
    out_.begin("static." + name, each(grid()));
    for (const std::size_t sample : samples_) out_.append(source_.static_field(sample, name));
  }

  void write_control(const std::string& prefix, const std::string& name, const Extents& extents) {
    out_.begin(prefix + name, each(extents));
    for (const std::size_t sample : samples_) out_.append(source_.control(sample, name));
  }

  void write_words() {
    std::string axes = "n,t,";
    for (const auto& axis : about_.state.axes) axes += axis.name + ",";
    out_.add("axes", axes + "c");
    out_.add("channels", about_.channels());
    out_.add("parameters", about_.state.names(Role::parameter));
    out_.add("boundary", about_.state.boundary());
    std::vector<std::string> lines;
    for (const auto& [key, value] : about_.attributes) lines.push_back(key + "=" + value);
    if (!lines.empty()) out_.add("attributes", lines);
  }

  const Source& source_;
  const Description& about_;
  std::vector<std::size_t> samples_;
  std::size_t frames_ = 0;
  NpzWriter& out_;
};

}  // namespace

void convert_to_npz(const Source& source, const std::string& path, const ConvertOptions& options) {
  files::write_atomically(path, [&](const std::string& temporary) {
    NpzWriter out(temporary);
    Conversion(source, options.samples, out).write();
  });
}

}  // namespace cvf::data

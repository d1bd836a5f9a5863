#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "data/audit.hpp"

namespace cvf::data {
namespace {

// A spacing that the file states, beside the one of its times or coordinates. A simulation may write every
// so many of its own steps, and call these dt.
struct Places {
  std::string what;
  std::vector<double> places;
  std::vector<std::string> attributes;
  bool in_steps = false;
};

void check_spacing(const Places& axis, const Description& d, Audit& audit) {
  if (axis.places.size() < 2 || !evenly_spaced(axis.places)) return;
  const double spacing =
      (axis.places.back() - axis.places.front()) / static_cast<double>(axis.places.size() - 1);
  for (const auto& name : axis.attributes) {
    const auto found = d.attributes.find(name);
    const double stated = found == d.attributes.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
    const double ratio = spacing / stated;
    if (!(stated > 0) || std::abs(ratio - 1) <= 1e-2) continue;
    const bool whole = axis.in_steps && ratio > 1 && std::abs(ratio - std::round(ratio)) <= 1e-2;
    audit.findings.push_back(
        {"contradicting spacing",
         whole ? Severity::remark : Severity::fault,
         fmt::format("the attribute {} is {:g}, but the {} are {:g} apart{}", name, stated, axis.what,
                     spacing,
                     whole ? fmt::format(": every {:g} steps of a simulation?", std::round(ratio))
                           : ": which of them is right?"),
         {}});
  }
}

}  // namespace

bool evenly_spaced(const std::vector<double>& times) {
  if (times.size() < 3) return true;
  const double spacing = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (std::abs(times[i] - times[i - 1] - spacing) > 1e-3 * spacing)
      return false;  // float32 stamps are this exact
  }
  return true;
}

void check_resemblance(const Source& source, Audit& audit) {
  constexpr double nothing = 0.1, little = 0.5, much = 0.8;
  const auto& d = source.description();
  const Resemblance seen = resemblance(source);
  audit.frame_correlation = seen.next_frame;
  if (seen.next_frame < little && seen.next_sample > much) {
    audit.findings.push_back(
        {"axes",
         Severity::fault,
         fmt::format("neighbouring samples resemble each other (correlation {:.2f}), neighbouring frames do "
                     "not ({:.2f}): are the axes n and t the other way round in {}?",
                     seen.next_sample, seen.next_frame, d.axes),
         {}});
    return;
  }
  // A quarter of a period between frames gives 0 for one frame and -1 for two; a wave that has moved on gives
  // 0 for both, but lies smoothly on its grid.
  const bool unrelated = std::abs(seen.next_frame) < nothing && !(std::abs(seen.second_frame) >= nothing);
  if (!unrelated) return;
  const bool smooth = seen.next_cell > little;
  audit.findings.push_back(
      {"unrelated frames",
       smooth ? Severity::remark : Severity::fault,
       fmt::format("a frame says nothing about the next (correlation {:.2f}, after two frames {:.2f}): {}",
                   seen.next_frame, seen.second_frame,
                   smooth ? "the steps are long beside what happens in them, or the axes are not what they "
                            "were said to be"
                          : "the values are noise, or the axes are not what they were said to be"),
       {}});
}

void check_noise(const Source& source, Audit& audit) {
  constexpr double much = 0.1;
  const auto& d = source.description();
  std::vector<std::size_t> all(d.samples);
  std::iota(all.begin(), all.end(), std::size_t{0});
  audit.noise = noise(source, all);
  for (std::size_t c = 0; c < audit.noise.size(); ++c) {
    const auto& channel = audit.noise[c];
    if (channel.fraction() <= much) continue;
    audit.findings.push_back(
        {"noise",
         Severity::remark,
         fmt::format(
             "channel {} has noise of about {:.2g}, {:.2g} % of its spread: steps of training should be "
             "long beside it (loader.strides, which cvf init chooses by it)",
             d.channels()[c], channel.deviation, 100 * channel.fraction()),
         {}});
  }
}

void check_spacings(const Source& source, Audit& audit) {
  const auto& d = source.description();
  const bool has_times = std::none_of(d.notes.begin(), d.notes.end(), [](const std::string& note) {
    return note.find("has no times") != std::string::npos;
  });
  if (d.samples > 0) {
    check_spacing({"frames", source.times(0), {"dt", "delta_t", "time_step", "t_spacing"}, has_times}, d,
                  audit);
  }
  for (const auto& axis : d.state.axes) {
    const std::string& name = axis.name;
    check_spacing({"cells along " + name, axis.coordinates, {"d" + name, "delta_" + name, name + "_spacing"}},
                  d, audit);
  }
}

}  // namespace cvf::data

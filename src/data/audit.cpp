#include "data/audit.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/fingerprint.hpp"
#include "data/splits.hpp"

namespace cvf::data {
namespace {

using Samples = std::vector<std::size_t>;

std::vector<Fingerprint> fingerprints(const Source& source) {
  const std::size_t samples = source.description().samples;
  const Projections projections(source.description().frame_size());
  std::vector<Fingerprint> prints(samples);
  Progress progress("auditing", samples, "samples");
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t sample = 0; sample < samples; ++sample) {
    if (interrupt::requested()) continue;
    try {
      prints[sample] = fingerprint(source, sample, projections);
      progress.advance();
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  interrupt::throw_if_requested(audit_again);
  return prints;
}

Samples copies_in(const Classes& classes) {
  Samples out;
  for (const auto& members : classes) {
    if (members.size() > 1) out.insert(out.end(), members.begin(), members.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string some(const Samples& samples) {
  const std::string all = write_ranges(samples);
  return all.size() <= 60 ? all : all.substr(0, all.rfind(',', 60)) + ", ...";
}

// ---- checks, each adding its findings

std::string broken_in(const Fingerprint& print, const std::vector<std::string>& channels) {
  std::vector<std::string> counts;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::size_t broken = print.channels[c].broken;
    if (broken > 0) counts.push_back(fmt::format("{} {}", channels[c], broken));
  }
  return text::join(counts);
}

void check_numbers(const Source& source, const std::vector<Fingerprint>& prints, Audit& audit) {
  for (std::size_t sample = 0; sample < prints.size(); ++sample) {
    const auto& p = prints[sample];
    if (p.broken_values > 0) {
      audit.findings.push_back(
          {"non-finite",
           Severity::fault,
           fmt::format("sample {}: {} values are NaN or infinite ({}), first in frame {}, channel {}", sample,
                       p.broken_values, broken_in(p, source.description().channels()), p.first_broken_frame,
                       p.first_broken_channel),
           {sample}});
    }
    if (p.repeated_frames > 0) {
      audit.findings.push_back(
          {"repeated frames",
           Severity::fault,
           fmt::format("sample {}: {} of {} frames equal the frame before, first frame {}", sample,
                       p.repeated_frames, source.description().frames[sample], p.first_repeated_frame),
           {sample}});
    }
  }
}

void check_channels(const Source& source, const std::vector<Fingerprint>& prints, Audit& audit) {
  const auto channels = source.description().channels();
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChannelSums total{INFINITY, -INFINITY, 0, 0, 0, 0};
    Samples constant;
    for (std::size_t sample = 0; sample < prints.size(); ++sample) {
      const auto& sums = prints[sample].channels[c];
      total.low = std::min(total.low, sums.low);
      total.high = std::max(total.high, sums.high);
      total.sum += sums.sum;
      total.squares += sums.squares;
      total.finite += sums.finite;
      total.broken += sums.broken;
      if (sums.finite > 0 && sums.low == sums.high) constant.push_back(sample);
    }
    const double count = std::max<double>(1, static_cast<double>(total.finite)), mean = total.sum / count;
    audit.ranges.push_back({total.low, total.high, mean,
                            std::sqrt(std::max(0.0, total.squares / count - mean * mean)), total.broken});

    const std::string& name = channels[c];
    if (total.finite > 0 && total.low == total.high) {
      audit.findings.push_back({"constant channel", Severity::fault,
                                fmt::format("channel {} is {} everywhere", name, total.low), constant});
    } else if (!constant.empty()) {
      audit.findings.push_back({"constant channel", Severity::remark,
                                fmt::format("channel {} never changes in {} of {} samples: {}", name,
                                            constant.size(), prints.size(), some(constant)),
                                constant});
    }
  }
}

void report_copies(const Source& source, const Classes& classes, std::string_view what, bool whole,
                   Audit& audit) {
  const Samples copies = copies_in(classes);
  if (copies.empty()) return;
  std::size_t largest = 0;
  for (const auto& members : classes) {
    largest = std::max(largest, members.size());
    for (std::size_t i = 1; i < members.size(); ++i) {
      const std::size_t frames = whole ? source.description().frames[members[0]] : 1;
      if (!equal_frames(source, members[0], members[i], frames)) {
        throw DataError("{}: samples {} and {} changed while they were audited", source.description().file,
                        members[0], members[i]);
      }
    }
  }
  audit.findings.push_back(
      {fmt::format("duplicate {}", what), Severity::fault,
       fmt::format("{} of {} samples share their {} with another: {} distinct, the commonest {} times",
                   copies.size(), source.description().samples, what, classes.size(), largest),
       copies});
}

std::size_t check_leakage(Families& families, const Splits& splits, const Samples& part,
                          std::string_view name, Audit& audit) {
  std::vector<bool> in_training(audit.samples, false);
  for (const std::size_t sample : splits.train) in_training[families.head(sample)] = true;
  Samples leaked;
  for (const std::size_t sample : part) {
    if (in_training[families.head(sample)]) leaked.push_back(sample);
  }
  if (!leaked.empty()) {
    audit.findings.push_back(
        {fmt::format("leakage into {}", name), Severity::fault,
         fmt::format("{} of {} {} samples have a twin in training: a score on them measures memory",
                     leaked.size(), part.size(), name),
         leaked});
  }
  return leaked.size();
}

// ---- time grids

void check_times(const Source& source, Audit& audit) {
  const auto& d = source.description();
  Samples uneven, other_grid, single;
  const std::vector<double> first = d.samples > 0 ? source.times(0) : std::vector<double>{};
  for (std::size_t sample = 0; sample < d.samples; ++sample) {
    interrupt::throw_if_requested(audit_again);
    const auto times = source.times(sample);
    if (!evenly_spaced(times)) uneven.push_back(sample);
    if (times != first) other_grid.push_back(sample);
    if (times.size() < 2) single.push_back(sample);
  }
  const auto remark = [&](const char* kind, Severity severity, const Samples& who, const char* what) {
    if (who.empty()) return;
    audit.findings.push_back({kind, severity,
                              fmt::format("{} of {} samples {}: {}", who.size(), d.samples, what, some(who)),
                              who});
  };
  remark("uneven times", Severity::remark, uneven, "have frames at uneven times");
  remark("differing times", Severity::remark, other_grid, "have another time grid than sample 0");
  remark("single frame", Severity::fault, single, "have fewer than two frames and teach no step");
}

}  // namespace

bool Audit::clean() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.severity == Severity::fault; });
}

Audit audit(const Source& source, const Splits& splits, const AuditOptions& options) {
  const std::vector<Fingerprint> prints = fingerprints(source);
  Audit out;
  out.samples = prints.size();
  check_numbers(source, prints, out);
  check_channels(source, prints, out);

  const Classes initial = classes_by(prints, &Fingerprint::initial);
  const Classes whole = classes_by(prints, &Fingerprint::trajectory);
  out.initial_classes = initial.size();
  out.trajectory_classes = whole.size();
  for (const auto& members : whole) out.largest_class = std::max(out.largest_class, members.size());
  report_copies(source, initial, "initial frames", false, out);
  report_copies(source, whole, "trajectories", true, out);

  Families families(prints.size());
  for (const auto& members : initial) {
    for (const std::size_t sample : members) families.join(members.front(), sample);
  }
  if (options.near > 0) {
    const std::vector<Pair> near = near_pairs(source, prints, options.near);
    Samples concerned;
    for (const auto& [a, b] : near) {
      families.join(a, b);
      concerned.insert(concerned.end(), {a, b});
    }
    std::sort(concerned.begin(), concerned.end());
    concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
    if (!near.empty()) {
      out.findings.push_back(
          {"near-duplicates", Severity::fault,
           fmt::format("{} pairs of samples begin within {:.3g} % of each other's variation, e.g. {} and {}",
                       near.size(), 100 * options.near, near[0].first, near[0].second),
           concerned});
    }
  }
  out.leaked_test = check_leakage(families, splits, splits.test, "test", out);
  out.leaked_validation = check_leakage(families, splits, splits.validation, "validation", out);
  check_times(source, out);
  check_resemblance(source, out);
  check_noise(source, out);
  check_spacings(source, out);
  return out;
}

}  // namespace cvf::data

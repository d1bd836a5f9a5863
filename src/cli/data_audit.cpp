#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/json_text.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "data/audit.hpp"

namespace cvf::cli {
namespace {

using text::printable;

constexpr std::size_t shown_of_a_kind = 5;

nlohmann::json as_json(const data::Audit& audit, const data::Description& d) {
  nlohmann::json out{{"file", d.file},
                     {"clean", audit.clean()},
                     {"samples", audit.samples},
                     {"initial_classes", audit.initial_classes},
                     {"trajectory_classes", audit.trajectory_classes},
                     {"largest_class", audit.largest_class},
                     {"leaked_test", audit.leaked_test},
                     {"leaked_validation", audit.leaked_validation},
                     {"frame_correlation", audit.frame_correlation},
                     {"findings", nlohmann::json::array()}};
  for (std::size_t c = 0; c < audit.ranges.size(); ++c) {
    const auto& r = audit.ranges[c];
    out["channels"][d.channels()[c]] = {{"min", r.low},
                                        {"max", r.high},
                                        {"mean", r.mean},
                                        {"std", r.deviation},
                                        {"missing", r.missing},
                                        {"noise", audit.noise[c].deviation}};
  }
  for (const auto& f : audit.findings) {
    out["findings"].push_back({{"kind", f.kind},
                               {"severity", f.severity == data::Severity::fault ? "fault" : "remark"},
                               {"sentence", f.sentence},
                               {"samples", f.samples}});
  }
  return out;
}

std::string noise_text(const data::ChannelNoise& noise) {
  if (noise.deviation == 0) return "none found";
  return fmt::format("{:.2g} ({:.2g} % of std)", noise.deviation, 100 * noise.fraction());
}

void print_text(const data::Audit& audit, const data::Description& d) {
  fmt::print("{}: {} samples, {} distinct initial frames, {} distinct trajectories\n", printable(d.file),
             audit.samples, audit.initial_classes, audit.trajectory_classes);
  for (std::size_t c = 0; c < audit.ranges.size(); ++c) {
    const auto& r = audit.ranges[c];
    fmt::print("  {:<12} min {:<12.6g} max {:<12.6g} mean {:<12.6g} std {:<12.6g} missing {:<4} noise {}\n",
               printable(d.channels()[c]), r.low, r.high, r.mean, r.deviation, r.missing,
               noise_text(audit.noise[c]));
  }
  if (std::isfinite(audit.frame_correlation))
    fmt::print("  neighbouring frames have the correlation {:.3f}\n", audit.frame_correlation);
  std::map<std::string, std::size_t> seen;
  for (const auto& f : audit.findings) {
    if (++seen[f.kind] > shown_of_a_kind) continue;
    fmt::print("{}: {}: {}\n", f.severity == data::Severity::fault ? "FAULT" : "remark", f.kind,
               printable(f.sentence));
  }
  for (const auto& [kind, count] : seen) {
    if (count > shown_of_a_kind) fmt::print("  ... and {} more of: {}\n", count - shown_of_a_kind, kind);
  }
  if (audit.clean()) fmt::print("no faults\n");
}

struct AuditVerb {
  InputFile input;
  data::SplitOptions split;
  data::AuditOptions options;
  bool json = false;

  void run() const {
    const auto source = input.open();
    const auto& d = source->description();
    const data::Audit audit = data::audit(*source, data::make_splits(split, d.samples), options);
    if (json) {
      fmt::print("{}\n", ascii(as_json(audit, d)));
    } else {
      print_text(audit, d);
    }
    if (audit.clean()) return;
    std::fflush(stdout);  // before the message on stderr
    throw Error(Exit::findings, fmt::format("{}: the audit found faults", d.file));
  }
};

}  // namespace

void add_audit(CLI::App& data) {
  CLI::App& app = *data.add_subcommand(
      "audit", "find broken numbers, dead channels, copies and leakage; exit code 7 on faults");
  app.footer(
      "Example: cvf data audit mine.h5 --train 0:800 --validation 800:900 --test 900:1000\n"
      "A FAULT would make training or its results wrong; a remark is worth knowing. In a script: exit "
      "code 7 "
      "is "
      "a fault.\n"
      "Next: the same lists as [split] of a RUN.toml, then cvf train.");
  const auto verb = bind<AuditVerb>(app);
  verb->input.add_to(app);
  app.add_option("--train", verb->split.train, "training samples, e.g. 0:800 (default: first 80 %)");
  app.add_option("--validation", verb->split.validation, "validation samples (default: next 10 %)");
  app.add_option("--test", verb->split.test, "test samples (default: last 10 %)");
  app.add_option("--near", verb->options.near,
                 "how close first frames may be, as a share of their variation; 0 = any")
      ->capture_default_str();
  app.add_flag("--json", verb->json, "print one JSON object");
}

}  // namespace cvf::cli

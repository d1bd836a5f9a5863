#include "evaluate/record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace cvf::evaluate {
namespace {

using Json = nlohmann::ordered_json;

std::string_view status_of(const metrics::Score& score) {
  if (score.diverged) return "diverged";
  if (!score.value) return "nothing to measure";
  return score.lower_bound ? "lower bound" : "ok";
}

Json json_of(const metrics::Score& score) {
  Json out{{"value", score.value ? Json(*score.value) : Json()}, {"status", status_of(score)}};
  for (const auto& [name, value] : score.parts) out["parts"][name] = value;
  for (const auto& [frame, value] : score.per_frame) out["per_frame"].push_back({frame, value});
  return out;
}

Json json_of(const Baseline& baseline) {
  Json out{{"about", baseline.about}};
  for (const auto& score : baseline.scores) out[std::string(score.row->name)] = json_of(score);
  return out;
}

Json json_of(const OneMember& one) {
  Json out{{"value", one.mean() ? Json(*one.mean()) : Json()}};
  for (const auto& member : one.members) out["members"].push_back(member ? Json(*member) : Json());
  return out;
}

Json json_of(const SignalScore& signal) {
  Json out{{"about", signal.about}, {"pooled", signal.pooled}};
  const auto& within = signal.within;
  if (within.measured()) {
    out["within_frames"] = {within.mean, within.low, within.high};
    out["frames"] = within.frames;
  }
  return out;
}

// `times` begins with the given frame, the bins with the first predicted one.
Json json_of(const Trust& trust, const std::vector<double>& times) {
  Json out{{"pairs", trust.pairs}, {"samples", trust.samples}};
  for (const auto& signal : trust.signals) out["rank_correlation"][signal.name] = json_of(signal);
  out["reliability_of"] = trust.reliability_of;
  if (trust.search.steps > 0) {
    out["search"] = {{"steps", trust.search.steps},
                     {"shortened", trust.search.shortened},
                     {"evaluations", trust.search.evaluations}};
  }
  for (const auto& bin : trust.reliability) {
    Json parts;
    for (const auto& part : bin.parts) {
      parts.push_back({{"count", part.count},
                       {"mean_score", part.mean_score},
                       {"mean_error", part.mean_error},
                       {"largest_error", part.largest_error}});
    }
    out["reliability"].push_back(
        {{"from", times.at(bin.first + 1)}, {"to", times.at(bin.last + 1)}, {"parts", parts}});
  }
  return out;
}

Json json_of(const Coverage& coverage) {
  Json out{{"score", name(coverage.score)},
           {"wanted", coverage.wanted},
           {"reached", coverage.reached()},
           {"scatter", coverage.scatter},
           {"samples", coverage.samples},
           {"unbounded", coverage.unbounded},
           {"factor", coverage.factor},
           {"median_last_bar", coverage.last_bar},
           {"median_last_error", coverage.last_error}};
  for (const auto& bin : coverage.bins) {
    out["bins"].push_back({{"from", bin.from},
                           {"to", bin.to},
                           {"factor", bin.factor},
                           {"reached", bin.reached},
                           {"samples", bin.samples}});
  }
  return out;
}

std::string by_channel(const metrics::Score& score) {
  std::string out;
  for (const auto& [name, value] : score.parts)
    out += fmt::format("{}{} {:.4g}", out.empty() ? "" : ", ", name, value);
  return out;
}

bool is_error_of_states(const metrics::Score& score) {
  return score.row->name == "rollout_rmse" || score.row->name == "normalized_rmse" ||
         score.row->name == "step_rmse";
}

std::string line_of(const metrics::Score& score) {
  std::string out = fmt::format("  {:<18} {:<8} {:>12}  {}", score.row->name, score.row->symbol, score.text(),
                                score.row->unit);
  if (is_error_of_states(score) && score.parts.size() > 1) out += ": " + by_channel(score);
  return out + "\n";
}

// Below the error that it stands beside.
std::string lines_of(const std::vector<Baseline>& baselines, const metrics::Score& beside) {
  std::string out;
  for (const auto& baseline : baselines) {
    for (const auto& score : baseline.scores) {
      if (score.row != beside.row || !is_error_of_states(score)) continue;
      out += fmt::format("    {:<25} {:>12}  {}", baseline.name, score.text(), baseline.about);
      if (score.parts.size() > 1) out += ": " + by_channel(score);
      out += '\n';
    }
  }
  return out;
}

std::string line_of(const std::vector<OneMember>& all, const metrics::Score& beside) {
  for (const auto& one : all) {
    if (one.row != beside.row || !is_error_of_states(beside)) continue;
    return fmt::format("    {:<25} {:>12}  mean of the {} members, each by itself\n", "one_member",
                       one.mean() ? fmt::format("{:.4g}", *one.mean()) : "diverged", one.members.size());
  }
  return "";
}

std::string lines_of(const Trust& trust, const std::vector<double>& times) {
  std::string out = fmt::format(
      "  trust: rank correlation with the error, of {} samples; {} or more are known at {} frames\n",
      trust.samples, metrics::least_samples, trust.signals.front().within.frames);
  out += fmt::format("    {:<10} {:>14} {:>18} {:>12}\n", "signal", "at equal time", "95 % interval",
                     "all frames");
  for (const auto& [name, about, within, pooled] : trust.signals) {
    const bool varies = within.low < within.high;
    out += fmt::format("    {:<10} {:>14} {:>18} {:>12.3f}  {}\n", name,
                       within.measured() ? fmt::format("{:.3f}", within.mean) : "-",
                       varies ? fmt::format("{:.2f} .. {:.2f}", within.low, within.high) : "", pooled, about);
  }
  if (!trust.reliability.empty())
    out += fmt::format(
        "    mean error at these lead times, from the part of the samples with the least {} to that with the "
        "most\n",
        trust.reliability_of);
  for (const auto& bin : trust.reliability) {
    out += fmt::format("    {:>9.4g} .. {:<9.4g}", times.at(bin.first + 1), times.at(bin.last + 1));
    for (const auto& part : bin.parts) out += fmt::format(" {:>10.4g}", part.mean_error);
    out += '\n';
  }
  return out;
}

std::string line_of(const Search& search) {
  const auto each = static_cast<double>(search.evaluations) / static_cast<double>(search.steps);
  const std::string meaning =
      search.shortened == 0 ? "so it would lead to the same states for 3 evaluations a step instead of 1"
                            : "so --solver gcs would lead elsewhere";
  return fmt::format(
      "    gcs would have made {} of {} steps shorter, {}\n"
      "    (their NRE was measured in a second pass: {:.3g} more evaluations a step, not counted in nfe)\n",
      search.shortened, search.steps, meaning, each);
}

// "reliability.2.4" is the fourth part of the samples in the second bin of lead times.
std::string csv_lines(const std::string& protocol, const Trust& trust) {
  std::string out;
  const auto line = [&](const std::string& name, double value, std::string_view unit) {
    out += fmt::format("{},trust.{},{},{},ok\n", protocol, name, value, unit);
  };
  for (const auto& [name, about, within, pooled] : trust.signals) {
    if (within.measured()) {
      line(name + ".within_frames", within.mean, "1");
      line(name + ".within_frames.low", within.low, "1");
      line(name + ".within_frames.high", within.high, "1");
    }
    line(name + ".pooled", pooled, "1");
  }
  for (std::size_t b = 0; b < trust.reliability.size(); ++b) {
    const auto& parts = trust.reliability[b].parts;
    for (std::size_t p = 0; p < parts.size(); ++p)
      line(fmt::format("reliability.{}.{}", b + 1, p + 1), parts[p].mean_error, "physical");
  }
  return out;
}

// A channel may be called anything.
std::string quoted(const std::string& word) {
  if (word.find_first_of(",\"\n") == std::string::npos) return word;
  std::string out = "\"";
  for (const char c : word) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_lines(const std::string& protocol, const std::string& prefix, const metrics::Score& score) {
  const std::string name = prefix + std::string(score.row->name);
  std::string out =
      fmt::format("{},{},{},{},{}\n", protocol, name, score.value ? fmt::format("{}", *score.value) : "",
                  score.row->unit, status_of(score));
  for (const auto& [part, value] : score.parts)
    out += fmt::format("{},{},{},{},ok\n", protocol, quoted(name + "." + part), value, score.row->unit);
  return out;
}

std::string line_of(const Coverage& coverage) {
  std::string out = fmt::format(
      "error bars\n  coverage at {}: {:.4g} of {} samples, at every frame (may scatter by {:.2f})",
      coverage.wanted, coverage.reached(), coverage.samples, coverage.scatter);
  if (coverage.unbounded > 0) out += fmt::format("; {} have frames without a bar", coverage.unbounded);
  out += fmt::format("\n  at the last frame the bar is {:.4g} and the error {:.4g} (medians); score: {}\n",
                     coverage.last_bar, coverage.last_error, name(coverage.score));
  if (coverage.bins.empty()) return out;
  out += fmt::format("  coverage of single {} by lead time\n",
                     coverage.score == Score::rupture ? "frames" : "values");
  for (const auto& bin : coverage.bins)
    out += fmt::format("    {:>9.4g} .. {:<9.4g} {:>8.3f}\n", bin.from, bin.to, bin.reached);
  return out;
}

}  // namespace

std::string table(const Evaluation& evaluation) {
  std::string out;
  for (const auto& part : evaluation.parts) {
    out += fmt::format("{}\n", part.protocol);
    for (const auto& score : part.scores) {
      out += line_of(score) + line_of(part.one_member, score) + lines_of(part.baselines, score);
    }
    if (!part.divergence.empty()) out += fmt::format("  {}\n", part.divergence);
    if (part.trust.measured()) out += lines_of(part.trust, evaluation.times);
    if (part.trust.search.steps > 0) out += line_of(part.trust.search);
  }
  if (evaluation.coverage) out += line_of(*evaluation.coverage);
  return out;
}

std::string json(const Evaluation& evaluation, const Origin& origin) {
  Json out;
  if (!evaluation.warning.empty()) out["warning"] = evaluation.warning;
  for (const auto& [key, text] : origin) out["origin"][key] = text;
  for (const auto& part : evaluation.parts) {
    Json& into = out[part.protocol];
    for (const auto& score : part.scores) into[std::string(score.row->name)] = json_of(score);
    for (const auto& one : part.one_member) into["one_member"][std::string(one.row->name)] = json_of(one);
    for (const auto& baseline : part.baselines) into["baselines"][baseline.name] = json_of(baseline);
    if (!part.divergence.empty()) into["divergence"] = part.divergence;
    if (part.trust.measured()) into["trust"] = json_of(part.trust, evaluation.times);
  }
  out["frames"]["time"] = evaluation.times;
  if (evaluation.training_every > 0) out["frames"]["training"] = evaluation.training_frames();
  if (evaluation.coverage) out["error_bars"] = json_of(*evaluation.coverage);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv(const Evaluation& evaluation) {
  std::string out = "protocol,metric,value,unit,status\n";
  for (const auto& part : evaluation.parts) {
    for (const auto& score : part.scores) out += csv_lines(part.protocol, "", score);
    for (const auto& baseline : part.baselines) {
      for (const auto& score : baseline.scores) out += csv_lines(part.protocol, baseline.name + ".", score);
    }
    for (const auto& one : part.one_member) {
      out += fmt::format("{},one_member.{},{},{},{}\n", part.protocol, one.row->name,
                         one.mean() ? fmt::format("{}", *one.mean()) : "", one.row->unit,
                         one.mean() ? "ok" : "diverged");
    }
    if (part.trust.measured()) out += csv_lines(part.protocol, part.trust);
  }
  return out;
}

}  // namespace cvf::evaluate

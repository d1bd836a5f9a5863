#include "evaluate/record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "metrics/trust.hpp"

namespace cvf::evaluate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int bins = 5;

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

Json json_of(const Trust& trust) {
  Json out{{"rank_correlation", trust.rank_correlation()}, {"pairs", trust.scores.size()}};
  for (const auto& bin : metrics::reliability(trust.scores, trust.errors, bins)) {
    out["reliability"].push_back({{"count", bin.count},
                                  {"mean_score", bin.mean_score},
                                  {"mean_error", bin.mean_error},
                                  {"largest_error", bin.largest_error}});
  }
  return out;
}

Json json_of(const Coverage& coverage) {
  return {{"wanted", coverage.wanted},
          {"reached", coverage.reached()},
          {"scatter", coverage.scatter},
          {"samples", coverage.samples},
          {"unbounded", coverage.unbounded},
          {"factor", coverage.factor},
          {"median_last_bar", coverage.last_bar},
          {"median_last_error", coverage.last_error}};
}

std::string line_of(const Coverage& coverage) {
  std::string out = fmt::format(
      "error bars\n  coverage at {}: {:.4g} of {} samples, at every frame (may scatter by {:.2f})",
      coverage.wanted, coverage.reached(), coverage.samples, coverage.scatter);
  if (coverage.unbounded > 0) out += fmt::format("; {} have frames without a bar", coverage.unbounded);
  return out + fmt::format("\n  at the last frame the bar is {:.4g} and the error {:.4g} (medians)\n",
                           coverage.last_bar, coverage.last_error);
}

}  // namespace

std::string table(const Evaluation& evaluation) {
  std::string out;
  for (const auto& part : evaluation.parts) {
    out += fmt::format("{}\n", part.protocol);
    for (const auto& score : part.scores) {
      out += fmt::format("  {:<18} {:<8} {:>12}  {}\n", score.row->name, score.row->symbol, score.text(),
                         score.row->unit);
    }
    if (!part.divergence.empty()) out += fmt::format("  {}\n", part.divergence);
    if (part.trust.measured()) {
      out += fmt::format("  {:<18} {:<8} {:>12.4g}  rank correlation of sum(NRE step) with the error\n",
                         "trust", "rho", part.trust.rank_correlation());
    }
  }
  if (evaluation.coverage) out += line_of(*evaluation.coverage);
  return out;
}

std::string json(const Evaluation& evaluation, const Origin& origin) {
  Json out;
  for (const auto& [key, text] : origin) out["origin"][key] = text;
  for (const auto& part : evaluation.parts) {
    Json& into = out[part.protocol];
    for (const auto& score : part.scores) into[std::string(score.row->name)] = json_of(score);
    if (!part.divergence.empty()) into["divergence"] = part.divergence;
    if (part.trust.measured()) into["trust"] = json_of(part.trust);
  }
  if (evaluation.coverage) out["error_bars"] = json_of(*evaluation.coverage);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv(const Evaluation& evaluation) {
  std::string out = "protocol,metric,value,unit,status\n";
  for (const auto& part : evaluation.parts) {
    for (const auto& score : part.scores) {
      out +=
          fmt::format("{},{},{},{},{}\n", part.protocol, score.row->name,
                      score.value ? fmt::format("{}", *score.value) : "", score.row->unit, status_of(score));
    }
  }
  return out;
}

}  // namespace cvf::evaluate

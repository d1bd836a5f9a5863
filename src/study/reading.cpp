#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/tables.hpp"

namespace cvf::study {
namespace {

constexpr double alike = 0.05;  // a twentieth more or less is the same to a reader

bool less(double ratio) {
  return ratio < 1 - alike;
}
bool more(double ratio) {
  return ratio > 1 + alike;
}

double ratio(double a, double b) {
  return a == b ? 1 : a / b;  // none over none is as many
}

// "a quarter of", "0.9 of", "as much as", "1.3 times": stands before what it counts.
std::string share(double of) {
  if (!std::isfinite(of)) return "many times";
  if (more(of)) return fmt::format("{:.2g} times", of);
  const std::pair<double, const char*> words[] = {
      {0.5, "half of"}, {1.0 / 3, "a third of"}, {0.25, "a quarter of"}};
  for (const auto& [value, word] : words) {
    if (std::abs(of / value - 1) < 0.02) return word;
  }
  return fmt::format("{:.2g} of", of);
}

std::string beside_the_other(const Rivals& r) {
  const double error = ratio(*r.mine.error, *r.theirs.error);
  const std::string theirs = r.other + "'s", errors = share(error);
  if (!r.mine.cost || !r.theirs.cost) {
    if (!less(error) && !more(error)) return fmt::format("{} has the same error as {}", r.ours, r.other);
    return fmt::format("{} has {} {} error", r.ours, errors, theirs);
  }
  const double cost = ratio(*r.mine.cost, *r.theirs.cost);
  const std::string costs = share(cost);
  if (less(error)) {
    if (less(cost))
      return fmt::format("{} needs {} {} evaluations at {} its error", r.ours, costs, theirs, errors);
    if (more(cost))
      return fmt::format("{} has {} {} error but needs {} its evaluations", r.ours, errors, theirs, costs);
    return fmt::format("{} has {} {} error for as many evaluations", r.ours, errors, theirs);
  }
  if (more(error)) {
    if (less(cost))
      return fmt::format("{} needs {} {} evaluations but has {} its error", r.ours, costs, theirs, errors);
    return fmt::format("{} loses to {}: {} its error for {} evaluations", r.ours, r.other, errors,
                       more(cost) ? costs + " its" : "as many");
  }
  if (less(cost)) return fmt::format("{} needs {} {} evaluations at the same error", r.ours, costs, theirs);
  if (more(cost)) return fmt::format("{} needs {} {} evaluations for the same error", r.ours, costs, theirs);
  return fmt::format("{} and {} have the same error for as many evaluations", r.ours, r.other);
}

std::string beside_persistence(double error, double persistence) {
  const double of = ratio(error, persistence);
  if (less(of)) return fmt::format("has {} persistence's error", share(of));
  return more(of) ? fmt::format("is worse than persistence ({} its error)", share(of))
                  : "is no better than persistence";
}

Standing standing(const std::vector<Result>& results, const std::string& data, const std::string& method,
                  const std::string& evaluation) {
  std::vector<Value> errors, costs;
  for (const auto& r : results) {
    if (r.cell.data != data || r.cell.method != method) continue;
    errors.push_back(r.value(evaluation, "rollout_rmse"));
    costs.push_back(r.value(evaluation, "nfe"));
  }
  const auto error = summarise(errors);
  return {error.mean, summarise(costs).mean, error.reason};
}

std::optional<double> persistence_of(const std::vector<Result>& results, const std::string& data,
                                     const std::string& evaluation) {
  for (const auto& r : results) {
    const auto found = r.value(evaluation, "persistence.rollout_rmse");
    if (r.cell.data == data && found.value) return found.value;
  }
  return std::nullopt;
}

template <class Of>
std::vector<std::string> names_in(const std::vector<Result>& results, Of of) {
  std::vector<std::string> out;
  for (const auto& r : results) {
    if (std::find(out.begin(), out.end(), of(r)) == out.end()) out.push_back(of(r));
  }
  return out;
}

}  // namespace

std::string compared(const Rivals& r) {
  if (!r.mine.error) {
    const std::string why = r.mine.reason.empty() ? "has no result" : r.mine.reason;
    if (r.other.empty()) return fmt::format("{} {}, and no other method has a result", r.ours, why);
    std::string out = fmt::format("{} {}; the most accurate is {}", r.ours, why, r.other);
    if (r.persistence) out += ", which " + beside_persistence(*r.theirs.error, *r.persistence);
    return out;
  }
  const bool both = !r.other.empty() && beside_the_other(r).starts_with(r.ours + " and ");
  std::string out = r.other.empty() ? fmt::format("{} alone has a result", r.ours) : beside_the_other(r);
  if (r.persistence)
    out += fmt::format(", and {}{}", both ? r.ours + " " : "",
                       beside_persistence(*r.mine.error, *r.persistence));
  return out;
}

std::string read_out(const std::vector<Result>& results, const std::string& evaluation,
                     const std::string& ours) {
  std::string out;
  for (const auto& data : names_in(results, [](const Result& r) { return r.cell.data; })) {
    Rivals rivals;
    rivals.ours = ours;
    rivals.mine = standing(results, data, ours, evaluation);
    rivals.persistence = persistence_of(results, data, evaluation);
    for (const auto& method : names_in(results, [](const Result& r) { return r.cell.method; })) {
      const Standing theirs = standing(results, data, method, evaluation);
      if (method == ours || !theirs.error) continue;
      if (!rivals.other.empty() && *theirs.error >= *rivals.theirs.error) continue;
      rivals.other = method;
      rivals.theirs = theirs;
    }
    out += fmt::format("{}on {}, {}", out.empty() ? "" : "; ", data, compared(rivals));
  }
  return out.empty() ? "" : "O" + out.substr(1) + ".";
}

}  // namespace cvf::study

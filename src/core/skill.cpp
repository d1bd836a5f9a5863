#include "core/skill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace cvf {
namespace {

constexpr std::int64_t few_steps = 1000;
constexpr double much_noise = 0.03, little_change = 0.02;

struct Reason {
  std::string what, remedy;
};

std::string longer(const RunFacts& f) {
  const std::string setting =
      f.out_of_time ? fmt::format("train.minutes={:g}", 4 * f.minutes)
                    : fmt::format("train.steps={}", std::max<std::int64_t>(2 * few_steps, 4 * f.steps));
  return fmt::format("the same command with --set {}", setting);
}

// The likeliest first.
std::vector<Reason> reasons(const RunFacts& f) {
  std::vector<Reason> out;
  if (f.steps >= 0 && f.steps < few_steps)
    out.push_back({fmt::format("only {} step{} of training", f.steps, f.steps == 1 ? "" : "s"), longer(f)});
  if (!f.periodic_axes.empty()) {
    out.push_back(
        {fmt::format("the values continue across the ends of {}, the field does not", f.periodic_axes),
         "a new run with --set field.boundary=periodic"});
  }
  if (f.noise > much_noise && !(f.change > 3 * f.noise)) {
    std::string what = fmt::format("noise of {:.2g} % of the spread", 100 * f.noise);
    if (!std::isnan(f.change))
      what +=
          fmt::format(", while the longest step of training changes the states by {:.2g} %", 100 * f.change);
    out.push_back({what, "a new run with --set loader.strides=[8,16]"});
  } else if (f.change < little_change) {
    out.push_back(
        {fmt::format("training frames are too close: the longest step changes the states by {:.2g} % of the "
                     "spread",
                     100 * f.change),
         "a new run with --set loader.strides=[1,4,16]"});
  }
  if (f.patch > 1) {
    out.push_back({fmt::format("field.patch = {0} is too coarse: cells count in blocks of {0}", f.patch),
                   fmt::format("a new run with --set field.patch={}", f.patch / 2)});
  }
  if (out.empty())
    out.push_back({"no single one stands out", longer(f) + ", and cvf data audit on the file"});
  return out;
}

}  // namespace

std::string lack_of_skill(const SkillErrors& e, const RunFacts& facts) {
  std::vector<std::string> better;
  const std::pair<const char*, double> baselines[] = {{"persistence", e.persistence},
                                                      {"the mean state", e.mean_state}};
  for (const auto& [name, error] : baselines) {
    if (!std::isnan(error) && (e.diverged || e.model >= error))
      better.push_back(fmt::format("{} ({:.3g})", name, error));
  }
  if (better.empty()) return "";
  const auto all = reasons(facts);
  std::string out = fmt::format(
      "this model is worse than {}: {}. Likely reason: {}; try {}.", text::join(better, " and "),
      e.diverged ? "its forecasts diverge" : fmt::format("its normalized error is {:.3g}", e.model),
      all.front().what, all.front().remedy);
  for (std::size_t i = 1; i < all.size(); ++i)
    out += fmt::format(" Also possible: {}; try {}.", all[i].what, all[i].remedy);
  return out;
}

}  // namespace cvf

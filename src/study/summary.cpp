#include "study/summary.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cvf::study {

Summary summarise(const std::vector<Value>& seeds) {
  Summary out;
  double sum = 0;
  int count = 0;
  for (const auto& seed : seeds) {
    ++out.seeds;
    out.lower_bound = out.lower_bound || seed.status == "lower bound";
    if (seed.status == "failed" || seed.status == "diverged") {
      ++out.lost;
      out.trouble = seed.status;
    } else if (seed.value) {
      sum += *seed.value;
      ++count;
    }
  }
  if (out.lost > 0 || count == 0) return out;  // what diverged is told, never averaged away
  out.mean = sum / count;
  double squares = 0;
  for (const auto& seed : seeds) {
    if (seed.value) squares += (*seed.value - *out.mean) * (*seed.value - *out.mean);
  }
  if (count > 1) out.deviation = std::sqrt(squares / (count - 1));
  return out;
}

std::string Summary::text() const {
  if (lost > 0) return fmt::format("{} {}/{}", trouble, lost, seeds);
  if (!mean) return "-";
  const std::string bound = lower_bound ? ">= " : "";
  return deviation ? fmt::format("{}{:.3g} ± {:.2g}", bound, *mean, *deviation)
                   : fmt::format("{}{:.3g}", bound, *mean);
}

}  // namespace cvf::study

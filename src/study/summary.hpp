// One number over the seeds of a cell, as a table shows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/results.hpp"

namespace cvf::study {

struct Summary {
  int seeds = 0;        // that have ended
  int lost = 0;         // of them failed or diverged: then there is no mean
  std::string trouble;  // "failed" or "diverged"
  bool lower_bound = false;
  std::optional<double> mean, deviation;  // deviation: of a sample, from two seeds on

  std::string text() const;  // "0.0123 ± 0.0004", "diverged 1/3", "-"
};

Summary summarise(const std::vector<Value>& seeds);

}  // namespace cvf::study

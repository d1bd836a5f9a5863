#include "normalizers/kinds.hpp"

#include <cmath>

namespace cvf::normalizers {

void Options::describe(config::Section& s) {
  s.key("decay", &decay, "how slowly the statistics follow the training batches", config::between(0, 1));
  s.key(
      "relative_epsilon", &relative_epsilon,
      "added to variances, relative to the mean state and to the training interval; 0: the absolute 1e-8 and "
      "1e-12 of models without this key",
      config::between(0, 1e-2));
}

double state_deviation(double variance, double mean, const Options& o) {
  if (o.relative_epsilon == 0) return std::sqrt(variance + state_epsilon);
  const double deviation = std::sqrt(variance + o.relative_epsilon * mean * mean);
  return deviation > 0 ? deviation : 1;
}

double velocity_deviation(double variance, double unit, const Options& o) {
  if (o.relative_epsilon == 0) return std::sqrt(variance + velocity_epsilon);
  const double rate = unit / o.time_unit;
  return std::sqrt(variance + o.relative_epsilon * rate * rate);
}

}  // namespace cvf::normalizers

// The makers behind the table, each in the file of its kind.
#pragma once

#include "metrics/metric.hpp"

namespace cvf::metrics {

std::unique_ptr<Metric> make_step_rmse(const Setting& setting);
std::unique_ptr<Metric> make_rollout_rmse(const Setting& setting);
std::unique_ptr<Metric> make_relative_l2(const Setting& setting);
std::unique_ptr<Metric> make_spectrum_error(const Setting& setting);
std::unique_ptr<Metric> make_conserved(const Setting& setting);
std::unique_ptr<Metric> make_correlation_time(const Setting& setting);
std::unique_ptr<Metric> make_evaluations(const Setting& setting);
std::unique_ptr<Metric> make_seconds(const Setting& setting);

constexpr double decorrelated_below = 0.8;

}  // namespace cvf::metrics

#include <fmt/format.h>

#include <cmath>

#include "metrics/kinds.hpp"

namespace cvf::metrics {

std::span<const Row> registry() {
  static const std::vector<Row> rows = [] {
    const std::map<std::string_view, decltype(Row::make)> makers{
        {"step_rmse", make_step_rmse},
        {"rollout_rmse", make_rollout_rmse},
        {"normalized_rmse", make_normalized_rmse},
        {"relative_l2", make_relative_l2},
        {"spectrum_error", make_spectrum_error},
        {"conserved", make_conserved},
        {"correlation_time", make_correlation_time},
        {"nfe", make_evaluations},
        {"seconds_per_frame", make_seconds},
        {"cped", nullptr},
    };
    std::vector<Row> out;
    for (const auto& definition : all_definitions()) out.push_back({definition, makers.at(definition.name)});
    return out;
  }();
  return rows;
}

std::string text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

}  // namespace cvf::metrics

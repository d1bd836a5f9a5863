// Where the time of the fused field goes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problem.hpp"

namespace cvf::bench {

struct PartFigure {
  std::string name;
  double seconds;  // of one call
  double flops;    // of one call; 0 where there are none worth counting
};

/// patch, adaln, qkv, attention, project, mlp, final, optimiser (training) and the rest; their seconds add up
/// to those of the call.
std::vector<PartFigure> part_figures(Problem& problem, bool training, int threads, int calls);

nlohmann::json parts_json(const std::vector<PartFigure>& parts);
void print_parts(const nlohmann::json& parts);

}  // namespace cvf::bench

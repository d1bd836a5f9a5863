#include "parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../figures.hpp"
#include "kernels/sit_engine.hpp"

namespace cvf::bench {
namespace {

double total_seconds(const std::vector<PartFigure>& parts) {
  double total = 0;
  for (const auto& p : parts) total += p.seconds;
  return total;
}

/// Multiply-adds of the kernels' parts as two operations each, one sample forward, in the order of cpu::Part.
std::vector<double> operations(const kernels::SitSize& z) {
  const double n = static_cast<double>(z.tokens()), d = static_cast<double>(z.dim);
  const double edge = 2 * n * d * static_cast<double>(z.patch_values()), l = static_cast<double>(z.depth);
  return {edge, l * 6 * n * d * d, l * 4 * n * n * d, l * 2 * n * d * d, l * 16 * n * d * d, edge};
}

}  // namespace

std::vector<PartFigure> part_figures(Problem& problem, bool training, int threads, int calls) {
  const auto run = [&] { training ? problem.train() : problem.infer(); };
  run();
  kernels::take_part_seconds();
  const double whole = seconds([&] {
                         for (int i = 0; i < calls; ++i) run();
                       }) /
                       calls;
  const auto inside = kernels::take_part_seconds();
  kernels::stop_part_seconds();

  const char* names[] = {"patch", "qkv", "attention", "project", "mlp", "final"};
  const auto size = problem.sit().trunk().size;
  const auto per_sample = operations(size);
  const double passes = problem.batch() * (training ? 3 : 1);
  std::vector<PartFigure> out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    out.push_back({names[i], inside[i] / calls / threads, passes * per_sample[i]});
  }
  const double d = static_cast<double>(size.dim);
  out.push_back({"adaln", median_seconds(9, [&] { problem.modulate(training); }),
                 passes * 2 * d * static_cast<double>(size.modulation_values())});
  if (training) out.push_back({"optimiser", problem.update_seconds(), 0});
  out.push_back({"rest", std::max(0.0, whole - total_seconds(out)), 0});
  return out;
}

nlohmann::json parts_json(const std::vector<PartFigure>& parts) {
  nlohmann::json out;
  const double whole = total_seconds(parts);
  for (const auto& p : parts) {
    out[p.name] = {
        {"share", p.seconds / whole}, {"ms", 1e3 * p.seconds}, {"gflops", p.flops / p.seconds * 1e-9}};
  }
  return out;
}

void print_parts(const nlohmann::json& parts) {
  for (const auto& [name, p] : parts.items()) {
    fmt::print("      {:<10} {:5.1f} %  {:9.3f} ms  {:6.1f} GF/s\n", name, 100 * p["share"].get<double>(),
               p["ms"].get<double>(), p["gflops"].get<double>());
  }
}

}  // namespace cvf::bench

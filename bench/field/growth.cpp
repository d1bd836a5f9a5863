#include "growth.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/threads.hpp"
#include "measure.hpp"
#include "parts.hpp"

namespace cvf::bench {
namespace {

struct Cost {
  double seconds, attention;  // of one call; attention's share of it
};

double seconds_of(Problem& problem, bool training, const FieldSettings& s) {
  const auto run = [&] { training ? problem.train() : problem.infer(); };
  const int calls = calls_within(0.05, run);
  return race({{"call", run, calls}}, {s.repeats, s.cpu_time, s.threads.back()}).at("call").median;
}

Cost cost_of(Problem& problem, bool training, const FieldSettings& s) {
  const double seconds = seconds_of(problem, training, s);
  return {seconds, parts_json(part_figures(problem, training, s.threads.back(), 3))["attention"]["share"]};
}

void print_line(int side, int width, const FieldSettings& s) {
  constexpr int batch = 2;
  Problem p({"growth", side, 4, width, 2, width / 32, batch}, true);
  const Cost infer = cost_of(p, false, s), train = cost_of(p, true, s);
  fmt::print("{:>6} {:>5} | {:>9.3f} {:>6.1f} {:>6.3f} | {:>9.3f} {:>6.1f} {:>6.3f}\n", side / 4 * (side / 4),
             width, 1e3 * infer.seconds / batch, p.flops() / infer.seconds * 1e-9, infer.attention,
             1e3 * train.seconds / batch, 3 * p.flops() / train.seconds * 1e-9, train.attention);
  std::fflush(stdout);
}

void print_conv_line(int side, const FieldSettings& s) {
  constexpr int batch = 2;
  Problem p({"growth", side, 1, 32, 1, 1, batch, "conv"}, true);
  const double cells = static_cast<double>(side) * side * batch;
  fmt::print("{:>8}", side * side);
  for (const bool training : {false, true}) {
    const double seconds = seconds_of(p, training, s);
    fmt::print(" | {:>9.1f} {:>6.1f}", 1e9 * seconds / cells,
               (training ? 3 : 1) * p.flops() / seconds * 1e-9);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void print_growth(const FieldSettings& s) {
  threads::use(s.threads.back());
  fmt::print(
      "2 blocks, heads of 32, batch 2, {} threads; ms of a sample, GF/s, attention's share of the time\n",
      s.threads.back());
  fmt::print("tokens width |  infer ms   GF/s  share |  train ms   GF/s  share\n");
  for (const int side : {32, 64, 128, 256}) print_line(side, 128, s);
  for (const int width : {64, 128, 256, 512, 1024}) print_line(64, width, s);
  fmt::print(
      "\nconv, width 32, batch 2; ns of a cell, GF/s\n   cells |  infer ns   GF/s |  train ns   GF/s\n");
  for (const int side : {16, 32, 64, 128, 256}) print_conv_line(side, s);
}

}  // namespace cvf::bench

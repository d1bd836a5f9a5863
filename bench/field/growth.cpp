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

Cost cost_of(Problem& problem, bool training, const FieldSettings& s) {
  const int threads = s.threads.back();
  const auto run = [&] { training ? problem.train() : problem.infer(); };
  const int calls = calls_within(0.05, run);
  const double seconds = race({{"call", run, calls}}, {s.repeats, s.cpu_time, threads}).at("call").median;
  return {seconds, parts_json(part_figures(problem, training, threads, calls))["attention"]["share"]};
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

}  // namespace

void print_growth(const FieldSettings& s) {
  threads::use(s.threads.back());
  fmt::print(
      "2 blocks, heads of 32, batch 2, {} threads; ms of a sample, GF/s, attention's share of the time\n",
      s.threads.back());
  fmt::print("tokens width |  infer ms   GF/s  share |  train ms   GF/s  share\n");
  for (const int side : {32, 64, 128, 256}) print_line(side, 128, s);
  for (const int width : {64, 128, 256, 512, 1024}) print_line(64, width, s);
}

}  // namespace cvf::bench

// The fused kernels against the composed operations, in one process, A/B/A/B, with the machine's multiply-add
// peak measured between.
#include "run.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <time.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "../figures.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "kernels/cpu_choice.hpp"
#include "memory.hpp"
#include "problem.hpp"

namespace cvf::bench {
namespace {

double now(bool cpu_time, int threads) {
  timespec t{};
  clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  const double seconds = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  return cpu_time ? seconds / threads : seconds;
}

double peak_now(const FieldSettings& s, int threads) {  // operations a second
  const auto& kernels = kernels::cpu_kernels();
  double done = 0;
  const double start = now(s.cpu_time, threads);
#pragma omp parallel num_threads(threads) reduction(+ : done)
  done += kernels.peak(40'000'000);  // long enough for the system to spread woken threads over the cores
  return done / (now(s.cpu_time, threads) - start);
}

double sgemm_now(const FieldSettings& s, int threads) {
  static const auto a = torch::randn({768, 768}), b = torch::randn({768, 768});
  const double start = now(s.cpu_time, threads);
  at::mm(a, b);
  return 2.0 * 768 * 768 * 768 / (now(s.cpu_time, threads) - start);
}

struct Samples {
  std::vector<double> fused, composed, peak, sgemm;
};

template <class Work>
double timed(const FieldSettings& s, int threads, Work&& work) {
  const double start = now(s.cpu_time, threads);
  work();
  return now(s.cpu_time, threads) - start;
}

nlohmann::json measure(const FieldSettings& s, const Configuration& c, int threads, bool training) {
  Problem fused(c, true), composed(c, false);
  const auto run = [&](Problem& p) { training ? p.train() : p.infer(); };
  run(fused);
  if (!s.fused_only) run(composed);
  Samples t;
  for (int i = 0; i < s.repeats; ++i) {
    t.fused.push_back(timed(s, threads, [&] { run(fused); }));
    if (!s.fused_only) t.composed.push_back(timed(s, threads, [&] { run(composed); }));
    t.peak.push_back(peak_now(s, threads));
    t.sgemm.push_back(sgemm_now(s, threads));
  }
  const double seconds = median(t.fused), flops = fused.flops() * (training ? 3 : 1);
  return {{"speedup", s.fused_only ? 0 : median(t.composed) / seconds},
          {"peak_fraction", flops / seconds / median(t.peak)},
          {"gflops", flops / seconds * 1e-9},
          {"samples_per_s", c.batch / seconds},
          {"peak_gflops", median(t.peak) * 1e-9},
          {"sgemm_gflops", median(t.sgemm) * 1e-9},
          {"composed_peak_fraction", s.fused_only ? 0 : flops / median(t.composed) / median(t.peak)}};
}

void print_row(const std::string& name, int threads, const char* what, const nlohmann::json& j) {
  fmt::print(
      "{:<3} {} thread{} {:<6} {:6.2f}x composed  {:5.3f} of peak {:6.1f}  {:7.1f} GF  {:9.1f} samples/s  "
      "(composed {:.3f}, sgemm {:.1f} GF)\n",
      name, threads, threads == 1 ? " " : "s", what, j["speedup"].get<double>(),
      j["peak_fraction"].get<double>(), j["peak_gflops"].get<double>(), j["gflops"].get<double>(),
      j["samples_per_s"].get<double>(), j["composed_peak_fraction"].get<double>(),
      j["sgemm_gflops"].get<double>());
  std::fflush(stdout);
}

nlohmann::json run(const FieldSettings& s) {
  nlohmann::json out{{"kernels", kernels::cpu_kernels().name}};
  for (const int threads : s.threads) {
    threads::use(threads);
    auto& mine = threads == s.threads.back() ? out : out[fmt::format("threads_{}", threads)];
    for (const auto& c : configurations()) {
      if (!s.only.empty() && !s.only.contains(c.name)) continue;
      for (const bool training : {false, true}) {
        const auto figures = measure(s, c, threads, training);
        mine[c.name][training ? "train" : "infer"] = figures;
        if (!s.json) print_row(c.name, threads, training ? "train" : "infer", figures);
      }
    }
  }
  out["threads"] = s.threads.back();
  if (s.fused_only) return out;
  const double fused = extra_memory(true), composed = extra_memory(false);
  out["memory"] = {{"fused_bytes", fused}, {"composed_bytes", composed}, {"fraction", fused / composed}};
  if (!s.json) {
    fmt::print("three evaluations of A, backward and AdamW: {} extra, composed {} ({:.3f})\n",
               text::bytes(static_cast<std::uint64_t>(fused)),
               text::bytes(static_cast<std::uint64_t>(composed)), fused / composed);
  }
  return out;
}

void print_growth(const FieldSettings& s) {
  threads::use(s.threads.back());
  fmt::print("tokens width   ms/sample  GF/s  attention's share of the operations\n");
  const auto row = [&](int side, int width) {
    Problem p({"g", side, 4, width, 2, width / 32, 2}, true);
    p.infer();
    std::vector<double> times;
    for (int i = 0; i < s.repeats; ++i) times.push_back(timed(s, s.threads.back(), [&] { p.infer(); }));
    const double n = side / 4 * (side / 4), d = width, seconds = median(times);
    fmt::print("{:>6} {:>5} {:>11.3f} {:>5.0f}  {:.3f}\n", n, width, 1e3 * seconds / 2,
               p.flops() / seconds * 1e-9, n / (n + 6 * d));
    std::fflush(stdout);
  };
  for (const int side : {32, 64, 128, 256}) row(side, 128);
  for (const int width : {64, 128, 256, 512, 1024}) row(64, width);
}

}  // namespace

void run_field(const FieldSettings& settings) {
  if (settings.growth) return print_growth(settings);
  const auto out = run(settings);
  if (settings.json) fmt::print("{}\n", out.dump());
}

}  // namespace cvf::bench

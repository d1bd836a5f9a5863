// The fused kernels against the composed operations, and Winograd's convolution against taps one by one, in
// one process, A/B/A/B, with the machine's multiply-add peak measured between.
#include "run.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.hpp"
#include "core/threads.hpp"
#include "growth.hpp"
#include "kernels/cpu_choice.hpp"
#include "measure.hpp"
#include "memory.hpp"
#include "parts.hpp"
#include "problem.hpp"
#include "python.hpp"

namespace cvf::bench {
namespace {

double peak_flops(int threads) {  // does as many; long enough for the system to spread woken threads
  double done = 0;
#pragma omp parallel num_threads(threads) reduction(+ : done)
  done += kernels::cpu_kernels().peak(40'000'000);
  return done;
}

void sgemm() {
  static const auto a = torch::randn({768, 768}), b = torch::randn({768, 768});
  at::mm(a, b);
}
constexpr double sgemm_flops = 2.0 * 768 * 768 * 768;

nlohmann::json measure(const FieldSettings& s, const Configuration& c, int threads, bool training) {
  Problem fused(c, true), composed(c, false);
  std::optional<Problem> direct;
  const auto run = [&](Problem& p) { training ? p.train() : p.infer(); };
  double peak_operations = 0;
  const int calls = calls_within(0.15, [&] { run(fused); });
  std::vector<Contestant> contestants{{"fused", [&] { run(fused); }, calls},
                                      {"peak", [&] { peak_operations = peak_flops(threads); }},
                                      {"sgemm", sgemm, 8}};
  if (c.field == "conv") {
    direct.emplace(c, true, false);
    contestants.push_back({"direct", [&] { run(*direct); }, calls});
  }
  if (!s.fused_only) {
    run(composed);
    contestants.push_back({"composed", [&] { run(composed); }, calls});
  }
  auto results = race(contestants, {s.repeats, s.cpu_time, threads});
  const auto seconds = [&](const char* name) { return results[name].median; };
  const double flops = fused.flops() * (training ? 3 : 1), peak = peak_operations / seconds("peak");
  const auto composed_fraction = s.fused_only ? 0 : flops / seconds("composed") / peak;
  nlohmann::json out{{"speedup", s.fused_only ? 0 : seconds("composed") / seconds("fused")},
                     {"peak_fraction", flops / seconds("fused") / peak},
                     {"best_peak_fraction", flops / results["fused"].least / peak},
                     {"gflops", flops / seconds("fused") * 1e-9},
                     {"samples_per_s", c.batch / seconds("fused")},
                     {"peak_gflops", peak * 1e-9},
                     {"sgemm_gflops", sgemm_flops / seconds("sgemm") * 1e-9},
                     {"composed_peak_fraction", composed_fraction}};
  if (direct) out["over_direct"] = seconds("direct") / seconds("fused");
  if (s.parts && c.field == "sit")
    out["parts"] = parts_json(part_figures(fused, training, threads, std::max(3, calls)));
  return out;
}

void print_row(const std::string& name, int threads, const char* what, const nlohmann::json& j) {
  auto faster =
      j["speedup"] == 0 ? std::string{} : fmt::format("{:6.2f}x composed  ", j["speedup"].get<double>());
  if (j.contains("over_direct")) faster += fmt::format("{:4.2f}x direct  ", j["over_direct"].get<double>());
  fmt::print(
      "{:<9} {} thread{} {:<6} {}{:5.3f} of peak {:6.1f} (best repeat {:5.3f})  {:7.1f} GF  {:9.1f} "
      "samples/s  "
      "(composed {:.3f}, sgemm {:.1f} GF)\n",
      name, threads, threads == 1 ? " " : "s", what, faster, j["peak_fraction"].get<double>(),
      j["peak_gflops"].get<double>(), j["best_peak_fraction"].get<double>(), j["gflops"].get<double>(),
      j["samples_per_s"].get<double>(), j["composed_peak_fraction"].get<double>(),
      j["sgemm_gflops"].get<double>());
  if (j.contains("parts")) print_parts(j["parts"]);
  std::fflush(stdout);
}

bool is_wanted(const FieldSettings& s, const Configuration& c) {  // "conv" means all of that field
  return s.only.empty() || s.only.contains(c.name) || s.only.contains(c.field);
}

/// How many times faster the last number of threads is than the first, the two in turns.
double scaling(const FieldSettings& s, const Configuration& c, bool training) {
  Problem fused(c, true);
  const auto run = [&] { training ? fused.train() : fused.infer(); };
  std::vector<Contestant> contestants;
  for (const int threads : {s.threads.front(), s.threads.back()}) {
    const auto use = [threads] { threads::use(threads); };
    use();
    contestants.push_back({fmt::format("{}", threads), run, calls_within(0.15, run), use});
  }
  auto results = race(contestants, {2 * s.repeats, s.cpu_time, 1});
  return results[contestants.front().name].median / results[contestants.back().name].median;
}

nlohmann::json measure_scaling(const FieldSettings& s) {
  nlohmann::json out;
  for (const auto& c : configurations()) {
    if (!is_wanted(s, c)) continue;
    for (const bool training : {false, true}) {
      const double times = scaling(s, c, training);
      const char* what = training ? "train" : "infer";
      out[c.name][what] = times;
      if (s.json) continue;
      fmt::print("{:<9} {:<6} {} threads {:.2f}x as fast as {}\n", c.name, what, s.threads.back(), times,
                 s.threads.front());
      std::fflush(stdout);
    }
  }
  return out;
}

nlohmann::json run(const FieldSettings& s) {
  nlohmann::json out{{"kernels", kernels::cpu_kernels().name}};
  if (!s.json) fmt::print("kernels: {}\n", kernels::cpu_kernels().name);
  for (const int threads : s.threads) {
    threads::use(threads);
    auto& mine = threads == s.threads.back() ? out : out[fmt::format("threads_{}", threads)];
    for (const auto& c : configurations()) {
      if (!is_wanted(s, c)) continue;
      for (const bool training : {false, true}) {
        const auto figures = measure(s, c, threads, training);
        mine[c.name][training ? "train" : "infer"] = figures;
        if (!s.json) print_row(c.name, threads, training ? "train" : "infer", figures);
      }
    }
  }
  out["threads"] = s.threads.back();
  if (s.threads.size() > 1 && !s.cpu_time) out["scaling"] = measure_scaling(s);
  if (s.fused_only) return out;
  for (const char* name : {"A", "conv32x32", "conv32x128"}) {
    const auto all = configurations();
    const auto c = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    if (!is_wanted(s, *c)) continue;
    const double fused = extra_memory(name, true), composed = extra_memory(name, false);
    out["memory"][name] = {
        {"fused_bytes", fused}, {"composed_bytes", composed}, {"fraction", fused / composed}};
    if (s.json) continue;
    fmt::print("three evaluations of {}, backward and AdamW: {} extra, composed {} ({:.3f})\n", name,
               text::bytes(static_cast<std::uint64_t>(fused)),
               text::bytes(static_cast<std::uint64_t>(composed)), fused / composed);
  }
  return out;
}

}  // namespace

void run_field(const FieldSettings& settings) {
  if (settings.growth) return print_growth(settings);
  if (!settings.python.empty()) return print_against_python(settings);
  const auto out = run(settings);
  if (settings.json) fmt::print("{}\n", out.dump());
}

}  // namespace cvf::bench

#include "measure.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "../figures.hpp"

namespace cvf::bench {
namespace {

class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(bool cpu_time) : cpu_time_(cpu_time) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const auto& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double total = cpu_time_ ? run.cpu_accumulated_time : run.real_accumulated_time;
      seconds[run.run_name.function_name].push_back(total / static_cast<double>(run.iterations));
    }
  }

  std::map<std::string, std::vector<double>> seconds;

 private:
  bool cpu_time_;
};

void shuffle_the_repeats() {
  static const bool done = [] {
    std::string words[] = {"bench", "--benchmark_enable_random_interleaving=true"};
    char* arguments[] = {words[0].data(), words[1].data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  (void)done;
}

}  // namespace

std::map<std::string, Result> race(const std::vector<Contestant>& contestants, const Timing& timing) {
  shuffle_the_repeats();
  for (const auto& c : contestants) {
    auto* entry = benchmark::RegisterBenchmark(c.name.c_str(), [&c](benchmark::State& state) {
      // What ran before leaves its data in the caches and its threads awake; and where `before` has changed the
      // number of threads, the system takes some 50 ms to spread them over the cores.
      if (c.before) c.before();
      for (int i = 0; i < (c.before ? std::max(1, c.calls / 2) : 1); ++i) c.work();
      for (auto _ : state) c.work();
    });
    entry->Iterations(c.calls)->Repetitions(timing.repeats)->MeasureProcessCPUTime();
  }
  Collector collector(timing.cpu_time);
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();
  std::map<std::string, Result> out;
  const double share = timing.cpu_time ? 1.0 / timing.threads : 1;
  for (const auto& [name, seconds] : collector.seconds) {
    out[name] = {share * median(seconds), share * *std::min_element(seconds.begin(), seconds.end())};
  }
  return out;
}

int calls_within(double wanted, const std::function<void()>& work) {
  work();
  return std::max(1, static_cast<int>(wanted / seconds(work)));
}

}  // namespace cvf::bench

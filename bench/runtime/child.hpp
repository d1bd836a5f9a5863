// What a process that steps a model is asked to measure, and how it answers. Times are wall-clock: a host
// waits for all of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cvf::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The arguments of a child: FOLDER VALUES BATCH THREADS STARTED, where STARTED is now() of the parent before
/// it started the process.
struct Asked {
  explicit Asked(char** argv)
      : folder(argv[1]),
        values(std::strtoul(argv[2], nullptr, 10)),
        batch(std::strtoul(argv[3], nullptr, 10)),
        threads(std::atoi(argv[4])),
        started(std::strtod(argv[5], nullptr)),
        states(batch * values, 0.5F),
        dt(batch, 0.1) {}

  const char* folder;
  std::size_t values, batch;
  int threads;
  double started;
  std::vector<float> states;
  std::vector<double> dt;
};

/// Prints milliseconds: to load, from the start of the process to the end of the first step, and of a step.
template <class Load, class Step>
void measure(Asked& asked, const Load& load, const Step& step) {
  const double before = now();
  load();
  const double loaded = now();
  step();
  const double first = now();
  std::vector<double> all;
  for (const double end = now() + 0.5; now() < end || all.size() < 5;) {
    std::fill(asked.states.begin(), asked.states.end(), 0.5F);
    const double begin = now();
    step();
    all.push_back(now() - begin);
  }
  std::sort(all.begin(), all.end());
  std::printf("%.6f %.6f %.6f\n", 1e3 * (loaded - before), 1e3 * (first - asked.started),
              1e3 * all[all.size() / 2]);
}

}  // namespace cvf::bench

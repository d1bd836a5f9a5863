// How generation scales with threads. Measured in memory (/dev/shm): here the question is the program, not
// the disk.
#include <omp.h>
#include <unistd.h>

#include <cstdio>

#include "core/log.hpp"
#include "figures.hpp"
#include "generate/generate.hpp"

namespace cvf::bench {
namespace {

double seconds_with(int threads, const std::string& toml) {
  generate::Options options;
  config::Document::from_text(toml, "bench").read([&](config::Section& s) { options.describe(s); });
  const std::string path = fmt::format("/dev/shm/cvf_bench_{}.h5", getpid());
  omp_set_num_threads(threads);
  const double elapsed = seconds([&] { generate::generate(options, path); });
  std::remove(path.c_str());
  return elapsed;
}

Figure scaling(const std::string& name, const std::string& toml) {
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) ratios.push_back(seconds_with(1, toml) / seconds_with(2, toml));
  return {
      name + ": 2 threads over 1", median(ratios), "x", 1.8, true, "median of 5 A/B pairs, file in memory"};
}

}  // namespace

Figures generation() {
  const log::Level before = log::level();
  log::set_level(log::Level::quiet);
  // Few frames of long runs: reserving the file in memory zeroes its pages on one thread, which a disk does
  // not do.
  Figures out{scaling("diffusion_reaction 128x128, 40 samples",
                      "name='diffusion_reaction'\nsamples=40\nframes=11\nspacing=0.5\n"),
              scaling("compressible_flow 64x64, 16 samples",
                      "name='compressible_flow'\nsamples=16\ngrid='64'\nframes=11\nspacing=0.1\n")};
  log::set_level(before);
  return out;
}

}  // namespace cvf::bench

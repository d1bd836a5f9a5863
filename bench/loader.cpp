// The loader against plain reading: batches from memory, and streaming from a file larger than the loader's
// memory.
#include "data/loader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "core/log.hpp"
#include "figures.hpp"
#include "generate/generate.hpp"

namespace cvf::bench {
namespace {

constexpr int samples = 120;  // of 128 x 128 x 2, 101 frames: 1.6 GB

std::string make_file() {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("cvf_bench_loader_{}.h5", getpid())).string();
  generate::Options options;
  config::Document::from_text(fmt::format("name='wave'\nsamples={}\nframes=101\n", samples), "bench")
      .read([&](config::Section& s) { options.describe(s); });
  generate::generate(options, path);
  return path;
}

void forget_pages(const std::string& path) {
  const int handle = open(path.c_str(), O_RDONLY);
  fsync(handle);
  posix_fadvise(handle, 0, 0, POSIX_FADV_DONTNEED);
  close(handle);
}

double plain_read_seconds(const std::string& path) {
  std::vector<char> block(8 << 20);
  return seconds([&] {
    const int handle = open(path.c_str(), O_RDONLY);
    while (read(handle, block.data(), block.size()) > 0) {
    }
    close(handle);
  });
}

double resident_mb() {
  std::ifstream in("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  in >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Epoch {
  double seconds = 0, batch_bytes = 0, peak_mb = 0;
};

Epoch run_epoch(data::Loader& loader) {
  Epoch epoch;
  epoch.seconds = seconds([&] {
    for (std::size_t i = 0; i < loader.batches_per_epoch(); ++i) {
      auto batch = loader.next();
      epoch.batch_bytes += static_cast<double>(batch->values.size() * sizeof(float));
      loader.recycle(std::move(batch));
      if (i % 16 == 0) epoch.peak_mb = std::max(epoch.peak_mb, resident_mb());
    }
  });
  return epoch;
}

std::unique_ptr<data::Loader> make_loader(const std::string& path, std::int64_t memory_mb, int window) {
  data::LoaderOptions options;
  options.batch = 32;
  options.memory_mb = memory_mb;
  options.window = window;
  std::vector<std::size_t> all(samples);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return std::make_unique<data::Loader>(data::open(path), all, data::DownsamplingOptions{}, options, 1);
}

}  // namespace

Figures loader() {
  log::set_level(log::Level::quiet);
  const std::string path = make_file();
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  Figures out;
  constexpr std::int64_t cap_mb = 400;
  for (const bool cold : {true, false}) {
    std::vector<double> ratios, rates, peaks, plain;
    for (int i = 0; i < (cold ? 3 : 5); ++i) {
      if (cold) forget_pages(path);
      const double reading = plain_read_seconds(path);
      if (cold) forget_pages(path);
      const double before = resident_mb();
      const auto streaming = make_loader(path, cap_mb, 8);
      const Epoch epoch = run_epoch(*streaming);
      ratios.push_back(reading / epoch.seconds);
      rates.push_back(bytes / epoch.seconds / 1e9);
      plain.push_back(bytes / reading / 1e9);
      peaks.push_back(epoch.peak_mb - before);
    }
    const char* state = cold ? "from disk" : "from the page cache";
    out.push_back({fmt::format("streaming {} against plain sequential reading", state), median(ratios), "",
                   cold ? 0.7 : 0.0, true,
                   fmt::format("{:.2f} of {:.2f} GB/s, {:.1f} GB file, every frame in two rows",
                               median(rates), median(plain), bytes / 1e9)});
    out.push_back({fmt::format("streaming {}: resident memory", state), median(peaks), "MB",
                   static_cast<double>(cap_mb), false,
                   "growth while an epoch streams; the cap is memory_mb"});
  }
  const auto memory = make_loader(path, 4000, 0);
  run_epoch(*memory);
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    const Epoch epoch = run_epoch(*memory);
    rates.push_back(epoch.batch_bytes / epoch.seconds / 1e9);
  }
  out.push_back(
      {"batches from memory", median(rates), "GB/s", 1, true, "bytes of batches over wall-clock, batch 32"});
  std::filesystem::remove(path);
  return out;
}

}  // namespace cvf::bench

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/machine.hpp"
#include "core/text.hpp"

namespace cvf::memory {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

double of_the_machine() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  while (in >> word) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && in >> kilobytes) return kilobytes * 1024;
  }
  return unlimited;
}

double of_the_container() {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  double bytes = 0;
  return in >> bytes ? bytes : unlimited;  // "max": no limit
}

double of_the_process() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

double available() {
  return std::min({of_the_machine(), of_the_container(), of_the_process()});
}

std::string words(double bytes) {
  constexpr double countable = 1e18;
  return bytes < countable ? text::bytes(static_cast<std::uint64_t>(bytes))
                           : fmt::format("{:.3g} bytes", bytes);
}

bool exceeds(double bytes) {
  return !(bytes <= available());  // not a number is no size that fits
}

std::string shortage(double bytes) {
  return fmt::format("need about {} of memory, and {} are available", words(bytes), words(available()));
}

}  // namespace cvf::memory

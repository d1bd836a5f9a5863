#include "core/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

namespace cvf {
namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string machine() {
  utsname about{};
  const bool known = uname(&about) == 0;
  return fmt::format("{}, {} threads, {} {}", processor(), std::thread::hardware_concurrency(),
                     known ? about.sysname : "unknown system", known ? about.machine : "");
}

std::string today() {
  std::time_t now = std::time(nullptr);
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(given, &end, 10);
    constexpr long long year_9999 = 253402300799;
    if (end != given && *end == '\0' && seconds >= 0 && seconds <= year_9999) now = seconds;
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

}  // namespace cvf

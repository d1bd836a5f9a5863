#include "core/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <thread>

namespace cvf {
namespace {

// The processor's own name for itself, 48 characters. Asked of the processor: a file could fail to be read.
std::string processor() {
#if defined(__x86_64__)
  constexpr unsigned first = 0x80000002, last = 0x80000004;
  unsigned words[12] = {};
  if (__get_cpuid_max(0x80000000, nullptr) >= last) {
    for (unsigned i = 0; i <= last - first; ++i)
      __get_cpuid(first + i, words + 4 * i, words + 4 * i + 1, words + 4 * i + 2, words + 4 * i + 3);
    std::string name(reinterpret_cast<const char*>(words), sizeof(words));
    name.resize(std::min(name.find('\0'), name.size()));
    const auto begin = name.find_first_not_of(' '), end = name.find_last_not_of(' ');
    if (begin != std::string::npos) return name.substr(begin, end - begin + 1);
  }
#endif
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

#include "core/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "core/text.hpp"

namespace cvf::log {
namespace {

std::atomic<Level> current{Level::normal};
bool open_line = false;

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made =
        std::make_shared<spdlog::logger>("cvf", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_level(spdlog::level::debug);
    made->set_pattern("%^%v%$");
    return made;
  }();
  return *instance;
}

void print(spdlog::level::level_enum severity, const std::string& sentence) {
  const std::lock_guard lock(terminal_mutex());
  if (open_line) std::fputs("\r\033[K", stderr);
  open_line = false;
  logger().log(severity, "{}", text::printable(sentence, "\n"));
}

}  // namespace

void set_level(Level level) {
  current = level;
}
Level level() {
  return current;
}

void write_note(const std::string& sentence) {
  if (current != Level::quiet) print(spdlog::level::debug, sentence);
}
void write_warning(const std::string& sentence) {
  print(spdlog::level::warn, "warning: " + sentence);
}
void write_detail(const std::string& sentence) {
  if (current == Level::verbose) print(spdlog::level::debug, sentence);
}

std::mutex& terminal_mutex() {
  static std::mutex mutex;
  return mutex;
}

bool stderr_is_terminal() {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  return terminal;
}

void set_open_line(bool open) {
  open_line = open;
}

}  // namespace cvf::log

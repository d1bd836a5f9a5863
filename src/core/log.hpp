// Messages for people, on stderr; results go to stdout. A progress bar and a message never tear each other.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <utility>

namespace cvf::log {

enum class Level { quiet, normal, verbose };
void set_level(Level level);
Level level();

void write_note(const std::string& sentence);     // what was done or noticed
void write_warning(const std::string& sentence);  // what the user should look at
void write_detail(const std::string& sentence);   // shown with --verbose

template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  write_note(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write_warning(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void detail(fmt::format_string<Args...> format, Args&&... args) {
  write_detail(fmt::format(format, std::forward<Args>(args)...));
}

/// Held by whoever writes to stderr: the log and the progress bar.
std::mutex& terminal_mutex();
bool stderr_is_terminal();

/// What a message must wipe before it is printed; set by the progress bar while it is drawn. Needs the mutex.
void set_open_line(bool open);

}  // namespace cvf::log

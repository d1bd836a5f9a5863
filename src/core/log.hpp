// Messages for people, on stderr; results go to stdout. A progress bar and a message never tear each other.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
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

// How far a long job is: one redrawn line on a terminal, a plain line now and then in a pipe, nothing when
// quiet.
namespace cvf {

class Progress {
 public:
  /// `done` of `total` units may already be finished (a resumed job): they do not count for the speed.
  Progress(std::string title, std::uint64_t total, std::string unit, std::uint64_t done = 0);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t count = 1);     // from any thread
  void remark(const std::string& addition);  // shown behind the bar, e.g. the loss
  void limit(double seconds);                // the job ends within so many seconds from now

 private:
  using Clock = std::chrono::steady_clock;
  void draw(bool last);
  std::string line() const;

  std::string title_, unit_, remark_;
  std::uint64_t total_, done_, done_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_ = Clock::time_point::max();  // at the latest
  Clock::time_point drawn_{};
  std::mutex mutex_;
};

}  // namespace cvf

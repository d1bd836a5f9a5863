#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf {
namespace {
constexpr int bar_width = 24;
constexpr std::chrono::milliseconds redraw_every{100};
constexpr std::chrono::seconds plain_line_every{15};
constexpr double longest = 1e9;  // s, as a clock can hold them
}  // namespace

Progress::Progress(std::string title, std::uint64_t total, std::string unit, std::uint64_t done)
    : title_(std::move(title)), unit_(std::move(unit)), total_(total), done_(done), done_before_(done) {}

Progress::~Progress() {
  draw(true);
}

void Progress::advance(std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  draw(false);
}

void Progress::remark(const std::string& addition) {
  const std::lock_guard lock(mutex_);
  remark_ = addition;
}

void Progress::limit(double seconds) {
  const std::lock_guard lock(mutex_);
  end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, longest)));
}

std::string Progress::line() const {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = seconds > 0 ? static_cast<double>(done_ - done_before_) / seconds : 0;
  std::string out = fmt::format("{} {}/{} {}", title_, done_, total_, unit_);
  if (speed > 0 && done_ < total_) {
    const double by_time = std::max(0.0, std::chrono::duration<double>(end_ - now).count());
    const double by_speed = static_cast<double>(total_ - done_) / speed;
    out += fmt::format(", {:.3g}/s, {} left", speed, text::duration(std::min(by_time, by_speed)));
  } else {
    out += fmt::format(", {}", text::duration(seconds));
  }
  return remark_.empty() ? out : out + "  " + remark_;
}

void Progress::draw(bool last) {
  if (log::level() == log::Level::quiet) return;
  const auto now = Clock::now();
  const bool terminal = log::stderr_is_terminal();
  if (!last && now - drawn_ < (terminal ? std::chrono::milliseconds(redraw_every) : plain_line_every)) return;
  if (!last && !terminal && now - start_ < plain_line_every) return;
  drawn_ = now;

  const std::lock_guard lock(log::terminal_mutex());
  if (terminal) {
    const double share = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
    const int filled = std::clamp(static_cast<int>(share * bar_width), 0, bar_width);
    std::fputs(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}{}", "", filled, "", bar_width - filled, line(),
                           last ? "\n" : "")
                   .c_str(),
               stderr);
    log::set_open_line(!last);
  } else {
    std::fputs((line() + "\n").c_str(), stderr);
  }
  std::fflush(stderr);
}

}  // namespace cvf

// How far a long job is: one redrawn line on a terminal, a plain line now and then in a pipe, nothing when
// quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

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

 private:
  using Clock = std::chrono::steady_clock;
  void draw(bool last);
  std::string line() const;

  std::string title_, unit_, remark_;
  std::uint64_t total_, done_, done_before_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
  std::mutex mutex_;
};

}  // namespace cvf

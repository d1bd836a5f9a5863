// SIGINT, SIGTERM and SIGHUP collected while the launcher stands by, to be passed on to the ranks.
#pragma once

#include <csignal>
#include <vector>

namespace cvf::train {

/// Takes the signals over while it lives, one at a time in a process. What a terminal sends (Ctrl-C) has
/// reached every process of the group already, and a second SIGINT would end a rank at once, so that is not
/// collected.
class ForwardedSignals {
 public:
  ForwardedSignals();
  ~ForwardedSignals();
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;

  std::vector<int> take();  // those that came since the last call

 private:
  std::vector<struct sigaction> before_;
};

}  // namespace cvf::train

#include "train/distributed/signals.hpp"

#include <array>
#include <atomic>

namespace cvf::train {
namespace {

constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP};
std::array<std::atomic<int>, forwarded.size()> waiting;  // lock-free: a handler may touch them

void on_signal(int signal, siginfo_t* info, void*) {
  if (info->si_code == SI_KERNEL) return;
  for (std::size_t i = 0; i < forwarded.size(); ++i) {
    if (forwarded[i] == signal) ++waiting[i];
  }
}

}  // namespace

ForwardedSignals::ForwardedSignals() : before_(forwarded.size()) {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (std::size_t i = 0; i < forwarded.size(); ++i) {
    waiting[i] = 0;
    sigaction(forwarded[i], &action, &before_[i]);
  }
}

ForwardedSignals::~ForwardedSignals() {
  for (std::size_t i = 0; i < forwarded.size(); ++i) sigaction(forwarded[i], &before_[i], nullptr);
}

std::vector<int> ForwardedSignals::take() {
  std::vector<int> out;
  for (std::size_t i = 0; i < forwarded.size(); ++i)
    out.insert(out.end(), waiting[i].exchange(0), forwarded[i]);
  return out;
}

}  // namespace cvf::train

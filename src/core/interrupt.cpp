#include "core/interrupt.hpp"

#include <atomic>
#include <csignal>

#include "core/errors.hpp"

namespace cvf::interrupt {
namespace {

volatile std::sig_atomic_t flag = 0;
std::atomic<int> looks_left = 0;

void on_signal(int signal) {
  if (flag != 0 && signal == SIGINT) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  flag = 1;
}

}  // namespace

void install() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files fails the write, which says so
}

bool requested() {
  if (looks_left > 0 && --looks_left == 0) flag = 1;
  return flag != 0;
}
void request() {
  flag = 1;
}
void request_after(int looks) {
  looks_left = looks;
}
void clear() {
  looks_left = 0;
  flag = 0;
}

void throw_if_requested(const char* what_is_kept) {
  if (requested()) throw Interrupted("interrupted; {}", what_is_kept);
}

}  // namespace cvf::interrupt

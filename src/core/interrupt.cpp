#include "core/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

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

void on_signal_at_once(int) {
  constexpr std::string_view sentence = "cvf: interrupted; nothing was written\n";
  [[maybe_unused]] const ssize_t shown = write(STDERR_FILENO, sentence.data(), sentence.size());
  _exit(static_cast<int>(Exit::interrupted));
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void install() {
  handle(on_signal);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files fails the write, which says so
}

void end_at_once() {
  throw_if_requested("nothing was written");
  handle(on_signal_at_once);
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

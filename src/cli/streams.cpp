#include "cli/streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <initializer_list>

namespace cvf::cli {
namespace {

bool reader_has_gone() {
  pollfd stream{STDOUT_FILENO, POLLOUT, 0};
  return poll(&stream, 1, 0) > 0 && (stream.revents & POLLERR) != 0;
}

}  // namespace

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest free number
  }
}

int flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) != 0) return errno != 0 ? errno : unknown_fault;
  if (failed_before) return reader_has_gone() ? EPIPE : unknown_fault;
  const int copy = dup(STDOUT_FILENO);  // network file systems report some failures when a file is closed
  return copy >= 0 && close(copy) != 0 ? errno : 0;
}

}  // namespace cvf::cli

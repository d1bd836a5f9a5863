#include "core/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "core/errors.hpp"

namespace cvf {
namespace {

constexpr int cannot_execute = 127;

std::vector<std::string> environment_of(const Child::Start& start) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const auto replaces = [&](const auto& pair) { return line.starts_with(pair.first + "="); };
    if (std::none_of(start.environment.begin(), start.environment.end(), replaces)) out.emplace_back(line);
  }
  for (const auto& [name, value] : start.environment) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Child::Child(const Start& start) {
  auto words = start.arguments, environment = environment_of(start);
  const auto arguments = pointers(words), variables = pointers(environment);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) {
    throw Error(Exit::unexpected,
                fmt::format("{} could not be started: {}", start.program, std::strerror(errno)));
  }
  if (process_ != 0) return;
  // Only system calls from here on: other threads may have held any lock.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (!start.output.empty()) {
    const int file = open(start.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) _exit(cannot_execute);
  }
  if (start.output_handle >= 0 && dup2(start.output_handle, STDOUT_FILENO) < 0) _exit(cannot_execute);
  if (getppid() == parent) execve(start.program.c_str(), arguments.data(), variables.data());
  _exit(cannot_execute);
}

void Child::look() {
  int status = 0;
  if (!ended() && waitpid(process_, &status, WNOHANG) == process_) status_ = status;
}

void Child::send(int signal) const {
  if (!ended()) kill(process_, signal);
}

bool Child::killed() const {
  return ended() && WIFSIGNALED(*status_);
}

int Child::code() const {
  constexpr int shells_add = 128;
  return killed() ? shells_add + WTERMSIG(*status_) : WEXITSTATUS(*status_);
}

std::string Child::fate() const {
  if (!killed()) return fmt::format("ended with exit code {}", code());
  return fmt::format("was killed by signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
}

}  // namespace cvf

#include "train/team/rank_process.hpp"

#include <arpa/inet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/errors.hpp"

namespace cvf::train {
namespace {

constexpr int cannot_execute = 127;

// This process's environment, with the rank's own variables in place of any that it had.
std::vector<std::string> rank_environment(const Launch& launch, int rank, int port) {
  const std::vector<std::pair<std::string, std::string>> ours{
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(launch.ranks)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(port)},
      {"CVF_RANK_THREADS", std::to_string(std::max(1, launch.threads / launch.ranks))}};
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line(*entry);
    const auto is_ours = [&](const auto& pair) { return line.starts_with(pair.first + "="); };
    if (std::none_of(ours.begin(), ours.end(), is_ours)) out.emplace_back(line);
  }
  for (const auto& [name, value] : ours) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

RankProcess start_rank(const Launch& launch, int rank, int port) {
  auto words = launch.arguments, environment = rank_environment(launch, rank, port);
  const auto arguments = pointers(words), variables = pointers(environment);
  const pid_t launcher = getpid();
  const pid_t child = fork();
  if (child < 0)
    throw Error(Exit::unexpected,
                fmt::format("rank {} could not be started: {}", rank, std::strerror(errno)));
  if (child == 0) {                    // only system calls from here on: other threads may have held any lock
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // a launcher that is killed leaves no ranks behind
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    if (getppid() == launcher) execve(launch.program.c_str(), arguments.data(), variables.data());
    _exit(cannot_execute);
  }
  return {rank, child};
}

void RankProcess::look() {
  int status = 0;
  if (!ended() && waitpid(process_, &status, WNOHANG) == process_) status_ = status;
}

void RankProcess::send(int signal) const {
  if (!ended()) kill(process_, signal);
}

bool RankProcess::killed() const {
  return ended() && WIFSIGNALED(*status_);
}

int RankProcess::code() const {
  constexpr int shells_add = 128;
  return killed() ? shells_add + WTERMSIG(*status_) : WEXITSTATUS(*status_);
}

std::string RankProcess::fate() const {
  if (!killed()) return fmt::format("ended with exit code {}", code());
  return fmt::format("was killed by signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
}

ReservedPort::~ReservedPort() {
  close(socket_);
}

ReservedPort reserve_port() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  const bool good = handle >= 0 && setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                    bind(handle, raw, size) == 0 && getsockname(handle, raw, &size) == 0;
  if (!good)
    throw Error(Exit::unexpected, fmt::format("no free port on 127.0.0.1: {}", std::strerror(errno)));
  return {handle, ntohs(address.sin_port)};
}

}  // namespace cvf::train

#include "train/distributed/launcher.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/child.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/threads.hpp"

namespace cvf::train {
namespace {

// SIGINT, SIGTERM and SIGHUP collected while the launcher stands by, to be passed on to the ranks.
// Takes the signals over while it lives, one at a time in a process. What a terminal sends (Ctrl-C) has
// reached every process of the group already, and a second SIGINT would end a rank at once, so that is not
// collected.
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

constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP};
std::array<std::atomic<int>, forwarded.size()> waiting;  // lock-free: a handler may touch them

void on_signal(int signal, siginfo_t* info, void*) {
  if (info->si_code == SI_KERNEL) return;
  for (std::size_t i = 0; i < forwarded.size(); ++i) {
    if (forwarded[i] == signal) ++waiting[i];
  }
}

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

// One rank as a child process of the launcher.
class RankProcess : public Child {
 public:
  RankProcess(int rank, Child child) : Child(std::move(child)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

// What torchrun would set, how many threads are the rank's own, and a name that no other launch has.
RankProcess start_rank(const Launch& launch, int rank, const std::string& launch_id) {
  return {rank, Child({.arguments = launch.arguments,
                       .environment = {{"RANK", std::to_string(rank)},
                                       {"WORLD_SIZE", std::to_string(launch.ranks)},
                                       {"LOCAL_RANK", std::to_string(rank)},
                                       {"MASTER_ADDR", "127.0.0.1"},
                                       {"CVF_LAUNCH_ID", launch_id},
                                       {"CVF_RANK_THREADS",
                                        std::to_string(std::max(1, launch.threads / launch.ranks))}},
                       .output = {},
                       .program = launch.program})};
}

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds look_every{20};
constexpr std::chrono::seconds cause_may_follow{1};

// A rank that only lost a peer is a consequence: the rank that it lost is the news.
bool only_lost_a_peer(const RankProcess& rank) {
  return rank.failed() && rank.code() == static_cast<int>(Exit::distributed);
}

bool interrupted(const RankProcess& rank) {
  return rank.ended() && rank.code() == static_cast<int>(Exit::interrupted);
}

class Launcher {
 public:
  explicit Launcher(const Launch& launch) : launch_(launch) {
    const std::string id = random_token();
    for (int rank = 0; rank < launch.ranks; ++rank) ranks_.push_back(start_rank(launch, rank, id));
  }

  void watch() {
    while (running()) {
      std::this_thread::sleep_for(look_every);
      for (const int signal : signals_.take()) send(signal);
      for (auto& rank : ranks_) rank.look();
      note_failure();
      if (failed_ && !asked_ && cause_is_known()) ask_to_end();
      if (asked_ && Clock::now() - *asked_ > launch_.patience) send(SIGKILL);
    }
    report();
  }

 private:
  bool running() const {
    return !std::all_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return rank.ended(); });
  }

  void send(int signal) const {
    for (const auto& rank : ranks_) rank.send(signal);
  }

  // The first failure, unless it only lost a peer and the one that it lost shows up later.
  void note_failure() {
    for (auto& rank : ranks_) {
      const bool by_us = asked_ && rank.killed();
      if (!rank.failed() || interrupted(rank) || by_us) continue;
      if (failed_ == nullptr) failed_at_ = Clock::now();
      if (failed_ == nullptr || (only_lost_a_peer(*failed_) && !only_lost_a_peer(rank))) failed_ = &rank;
    }
  }

  bool cause_is_known() const {
    return !only_lost_a_peer(*failed_) || Clock::now() - failed_at_ > cause_may_follow;
  }

  void ask_to_end() {
    asked_ = Clock::now();
    send(SIGTERM);
    send(SIGCONT);  // one that was stopped cannot hear otherwise
  }

  void report() const {
    if (failed_ != nullptr) {
      throw Error(static_cast<Exit>(failed_->code()),
                  fmt::format("rank {} of {} {}; the other ranks were ended", failed_->rank(), launch_.ranks,
                              failed_->fate()));
    }
    if (std::any_of(ranks_.begin(), ranks_.end(), interrupted)) {
      throw Interrupted("interrupted; all {} ranks have stopped", launch_.ranks);
    }
  }

  const Launch& launch_;
  ForwardedSignals signals_;  // before the first rank starts, so that none is left behind
  std::vector<RankProcess> ranks_;
  const RankProcess* failed_ = nullptr;
  Clock::time_point failed_at_{};
  std::optional<Clock::time_point> asked_;
};

}  // namespace

void run_ranks(const Launch& launch) {
  if (launch.ranks < 1) throw UsageError("--local-ranks {}: give a positive number", launch.ranks);
  Launcher(launch).watch();
}

bool run_local_ranks(int ranks, const Environment& environment) {
  if (ranks < 1) throw UsageError("--local-ranks {}: give a positive number", ranks);
  if (ranks == 1 || environment("CVF_RANK_THREADS")) return false;
  const Membership already = membership(environment);
  if (already.size > 1) {
    throw UsageError("--local-ranks {}: {} has already made this process rank {} of {}; use one of the two",
                     ranks, already.launcher, already.rank, already.size);
  }
  run_ranks({.ranks = ranks, .threads = threads::count(), .arguments = own_arguments()});
  return true;
}

std::vector<std::string> own_arguments() {
  const std::string line = files::read_whole("/proc/self/cmdline");  // words, each ended by a zero byte
  std::vector<std::string> out;
  for (std::size_t at = 0; at < line.size(); at += out.back().size() + 1) out.emplace_back(line.c_str() + at);
  return out;
}

}  // namespace cvf::train

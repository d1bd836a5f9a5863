#include "train/distributed/launcher.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/threads.hpp"
#include "train/distributed/rank_process.hpp"
#include "train/distributed/signals.hpp"
#include "train/distributed/wire.hpp"

namespace cvf::train {
namespace {

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
  explicit Launcher(const Launch& launch) : launch_(launch), port_(reserve_port()) {
    const Meeting place{port_.number(), hex(sha256(wire::nonce()))};
    for (int rank = 0; rank < launch.ranks; ++rank) ranks_.push_back(start_rank(launch, rank, place));
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
  ReservedPort port_;
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

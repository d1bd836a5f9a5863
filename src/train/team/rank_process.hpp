// One rank as a child process of the launcher, and the port that its team meets at.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "train/team/launcher.hpp"

namespace cvf::train {

class RankProcess {
 public:
  RankProcess(int rank, pid_t process) : rank_(rank), process_(process) {}

  void look();  // whether it has ended meanwhile
  void send(int signal) const;

  int rank() const { return rank_; }
  bool ended() const { return status_.has_value(); }
  bool failed() const { return ended() && code() != 0; }
  bool killed() const;       // by a signal
  int code() const;          // the exit code, or 128 + the signal that killed it, as shells count
  std::string fate() const;  // "ended with exit code 3", "was killed by signal 9 (Killed)"

 private:
  int rank_;
  pid_t process_;
  std::optional<int> status_;
};

RankProcess start_rank(const Launch& launch, int rank, int port);

/// A free port of 127.0.0.1, bound but not listened to: nobody else is given it, and rank 0 can still take it
/// over because both allow the address's reuse.
class ReservedPort {
 public:
  ReservedPort(int socket, int number) : socket_(socket), number_(number) {}
  ~ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;
  int number() const { return number_; }

 private:
  int socket_, number_;
};
ReservedPort reserve_port();

}  // namespace cvf::train

// One rank as a child process of the launcher, and the port that its group meets at.
#pragma once

#include <string>
#include <utility>

#include "core/child.hpp"
#include "train/distributed/launcher.hpp"

namespace cvf::train {

class RankProcess : public Child {
 public:
  RankProcess(int rank, Child child) : Child(std::move(child)), rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

/// Where the ranks meet on 127.0.0.1, and the secret that keeps other users of the machine out: a process's
/// environment can be read by its own user only.
struct Meeting {
  int port;
  std::string secret;
};

RankProcess start_rank(const Launch& launch, int rank, const Meeting& place);

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

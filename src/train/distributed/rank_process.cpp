#include "train/distributed/rank_process.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/errors.hpp"

namespace cvf::train {
namespace {

// What torchrun would set, and how many threads are the rank's own.
Child::Start start_of(const Launch& launch, int rank, const Meeting& place) {
  return {.arguments = launch.arguments,
          .environment = {{"RANK", std::to_string(rank)},
                          {"WORLD_SIZE", std::to_string(launch.ranks)},
                          {"LOCAL_RANK", std::to_string(rank)},
                          {"MASTER_ADDR", "127.0.0.1"},
                          {"MASTER_PORT", std::to_string(place.port)},
                          {"CVF_GROUP_SECRET", place.secret},
                          {"CVF_RANK_THREADS", std::to_string(std::max(1, launch.threads / launch.ranks))}},
          .output = {},
          .program = launch.program};
}

}  // namespace

RankProcess start_rank(const Launch& launch, int rank, const Meeting& place) {
  return {rank, Child(start_of(launch, rank, place))};
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

#include "train/distributed/meeting_store.hpp"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "core/errors.hpp"
#include "core/interrupt.hpp"

namespace cvf::train {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds ask_every{5}, try_every{50};
constexpr int look_ms = 100;
constexpr const char* arrivals = "cvf/arrived";

// Waits in short pieces, so that a signal is heard.
template <class Done>
void wait_until(Clock::time_point deadline, std::chrono::milliseconds pause, const char* what, Done&& done) {
  while (!done()) {
    interrupt::throw_if_requested("the ranks had not met yet, so there was nothing to save");
    if (Clock::now() > deadline) throw std::runtime_error(what);
    std::this_thread::sleep_for(pause);
  }
}

bool ready(int socket, short wanted, Clock::time_point deadline) {
  while (true) {
    pollfd watched{socket, wanted, 0};
    if (poll(&watched, 1, look_ms) > 0) return true;
    interrupt::throw_if_requested("the ranks had not met yet, so there was nothing to save");
    if (Clock::now() > deadline) return false;
  }
}

wire::Socket connected_to(const wire::Address& address, Clock::time_point deadline) {
  wire::Socket out(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.open()) throw std::runtime_error(std::strerror(errno));
  if (::connect(out.number(), address.pointer(), address.size) != 0) {
    int error = errno;
    socklen_t size = sizeof error;
    if (error != EINPROGRESS || !ready(out.number(), POLLOUT, deadline)) return {};
    if (getsockopt(out.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return {};
  }
  return out;
}

std::string receive(int socket, std::size_t count, Clock::time_point deadline) {
  std::string out;
  char block[4096];
  while (out.size() < count && ready(socket, POLLIN, deadline)) {
    const ssize_t got = recv(socket, block, std::min(sizeof block, count - out.size()), 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    out.append(block, static_cast<std::size_t>(got));
  }
  return out;
}

}  // namespace

MeetingStore::MeetingStore(const Membership& membership, std::chrono::milliseconds patience)
    : Store(patience) {
  const wire::Address address = wire::resolve(membership.address, membership.port);
  if (membership.secret.empty() && !address.is_loopback()) {
    throw UsageError(
        "ranks on several machines need a secret that keeps strangers out: set the environment variable "
        "CVF_GROUP_SECRET to the same random text for every rank, e.g. that of openssl rand -hex 16");
  }
  if (membership.rank == 0)
    place_ = std::make_unique<MeetingPlace>(address, membership.secret, membership.size);
  enter(membership, address);
  const auto deadline = Clock::now() + timeout_;
  add(arrivals, 1);
  wait_until(deadline, ask_every, "not every rank has come",
             [&] { return add(arrivals, 0) >= membership.size; });
}

void MeetingStore::enter(const Membership& membership, const wire::Address& address) {
  const auto deadline = Clock::now() + timeout_;
  wait_until(deadline, try_every, "nobody listens there", [&] {
    socket_ = connected_to(address, deadline);
    return socket_.open();
  });
  const std::string theirs = receive(socket_.number(), wire::nonce_size, deadline), ours = wire::nonce();
  wire::send_all(socket_.number(), ours + wire::proof(membership.secret, "rank", theirs + ours));
  const std::string proof = receive(socket_.number(), wire::proof_size, deadline);
  if (!wire::same(proof, wire::proof(membership.secret, "meeting place", theirs + ours))) {
    throw std::runtime_error(
        "who listens there does not know the secret of this group (CVF_GROUP_SECRET), or has turned us away");
  }
}

std::string MeetingStore::ask(const std::string& request) {
  const std::lock_guard lock(mutex_);
  if (!wire::send_all(socket_.number(), wire::framed(request))) throw std::runtime_error("rank 0 has gone");
  const auto deadline = Clock::now() + timeout_;
  while (true) {
    if (auto answer = wire::take_message(received_)) return std::move(*answer);
    const std::string more = receive(socket_.number(), 1, deadline);
    if (more.empty()) throw std::runtime_error("rank 0 has gone");
    received_ += more;
  }
}

void MeetingStore::set(const std::string& key, const std::vector<std::uint8_t>& value) {
  ask(wire::packed({"set", key, {reinterpret_cast<const char*>(value.data()), value.size()}}));
}

std::vector<std::uint8_t> MeetingStore::get(const std::string& key) {
  wait({key}, timeout_);
  const std::string answer = ask(wire::packed({"get", key}));
  return {answer.begin() + 1, answer.end()};
}

std::int64_t MeetingStore::add(const std::string& key, std::int64_t value) {
  return std::stoll(ask(wire::packed({"add", key, std::to_string(value)})));
}

bool MeetingStore::deleteKey(const std::string& key) {
  return !ask(wire::packed({"delete", key})).empty();
}

bool MeetingStore::check(const std::vector<std::string>& keys) {
  for (const auto& key : keys) {
    if (ask(wire::packed({"get", key})).empty()) return false;
  }
  return true;
}

std::int64_t MeetingStore::getNumKeys() {
  return std::stoll(ask(wire::packed({"count"})));
}

void MeetingStore::wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) {
  wait_until(Clock::now() + timeout, ask_every, "another rank did not answer in time",
             [&] { return check(keys); });
}

}  // namespace cvf::train

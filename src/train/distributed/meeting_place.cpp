#include "train/distributed/meeting_place.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/errors.hpp"

namespace cvf::train {
namespace {

constexpr int look_every_ms = 100;
constexpr std::size_t most_strangers = 64;  // connections that have not proved anything yet

wire::Socket listening_at(const wire::Address& address) {
  wire::Socket out(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  const bool good = out.open() && setsockopt(out.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                    bind(out.number(), address.pointer(), address.size) == 0 &&
                    listen(out.number(), SOMAXCONN) == 0;
  if (good) return out;
  throw DistributedError(
      "rank 0 cannot listen at the address and port that it was given: {}; MASTER_ADDR must be an address of "
      "its own machine and MASTER_PORT a free port there",
      std::strerror(errno));
}

}  // namespace

MeetingPlace::MeetingPlace(const wire::Address& address, std::string secret, int ranks)
    : secret_(std::move(secret)), expected_(ranks), listener_(listening_at(address)) {
  thread_ = std::thread([this] { serve(); });
}

MeetingPlace::~MeetingPlace() {
  closing_ = true;
  thread_.join();
}

void MeetingPlace::serve() {
  while (!closing_) {
    std::vector<pollfd> watched{{listener_.number(), POLLIN, 0}};  // a negative number is passed over
    for (const auto& guest : guests_) watched.push_back({guest.socket.number(), POLLIN, 0});
    if (poll(watched.data(), watched.size(), look_every_ms) <= 0) continue;
    for (std::size_t i = guests_.size(); i-- > 0;) {
      if (watched[i + 1].revents != 0 && !hear(guests_[i]))
        guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (watched[0].revents != 0) admit();
    if (expected_ == 0) listener_ = wire::Socket();  // the group is complete: nobody else comes in
  }
}

// A stranger who says nothing keeps a place until it is needed.
void MeetingPlace::admit() {
  wire::Socket socket(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.open()) return;
  const auto stranger = [](const Guest& guest) { return !guest.known; };
  if (std::cmp_greater_equal(std::count_if(guests_.begin(), guests_.end(), stranger), most_strangers))
    guests_.erase(std::find_if(guests_.begin(), guests_.end(), stranger));
  Guest guest{std::move(socket), "", wire::nonce()};
  if (wire::send_all(guest.socket.number(), guest.nonce)) guests_.push_back(std::move(guest));
}

bool MeetingPlace::hear(Guest& guest) {
  char block[4096];
  const ssize_t got = recv(guest.socket.number(), block, sizeof block, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  guest.received.append(block, static_cast<std::size_t>(got));
  if (!guest.known) return prove(guest);
  try {
    while (const auto request = wire::take_message(guest.received)) {
      if (!wire::send_all(guest.socket.number(), wire::framed(answer(*request)))) return false;
    }
  } catch (const std::exception&) {  // no message of ours
    return false;
  }
  return true;
}

bool MeetingPlace::prove(Guest& guest) {
  const std::size_t whole = wire::nonce_size + wire::proof_size;
  if (guest.received.size() < whole) return true;
  const std::string nonces = guest.nonce + guest.received.substr(0, wire::nonce_size);
  const std::string claim = guest.received.substr(wire::nonce_size);
  if (!wire::same(claim, wire::proof(secret_, "rank", nonces))) return false;
  guest.known = true;
  guest.received.clear();
  --expected_;
  return wire::send_all(guest.socket.number(), wire::proof(secret_, "meeting place", nonces));
}

// "set NAME VALUE", "get NAME" (an empty answer: there is none, else 1 and the value), "add NAME NUMBER",
// "delete NAME", "count".
std::string MeetingPlace::answer(std::string_view request) {
  const auto word = [&] {
    auto out = wire::next_word(request);
    if (!out) throw std::runtime_error("a word is missing");
    return std::move(*out);
  };
  const std::string what = word();
  if (what == "count") return std::to_string(values_.size());
  const std::string name = word();
  if (what == "set") {
    values_[name] = word();
    return "";
  }
  if (what == "get") return values_.contains(name) ? "1" + values_[name] : "";
  if (what == "delete") return values_.erase(name) > 0 ? "1" : "";
  if (what != "add") throw std::runtime_error("an unknown request");
  const auto before = values_.contains(name) ? std::stoll(values_[name]) : 0;
  return values_[name] = std::to_string(before + std::stoll(word()));
}

}  // namespace cvf::train

#include "train/distributed/wire.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/errors.hpp"
#include "core/hash.hpp"

namespace cvf::train::wire {

Socket::~Socket() {
  if (open()) close(number_);
}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool Address::is_loopback() const {
  if (family() == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&raw);
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
  }
  const auto* four = reinterpret_cast<const sockaddr_in*>(&raw);
  return family() == AF_INET && ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

Address resolve(const std::string& host, int port) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    throw DistributedError("the address '{}' of rank 0 (MASTER_ADDR) is not known here", host);
  }
  Address out;
  out.size = found->ai_addrlen;
  std::memcpy(&out.raw, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return out;
}

std::string nonce() {
  std::string out(nonce_size, '\0');
  if (getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(out.size()))
    throw Error(Exit::unexpected, "the system gives no random numbers");
  return out;
}

std::string proof(std::string_view secret, std::string_view who, std::string_view nonces) {
  const Digest digest = hmac_sha256(secret, fmt::format("cvf group, {} {}", who, nonces));
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool same(std::string_view a, std::string_view b) {
  int difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

std::string framed(std::string_view text) {
  const auto size = htonl(static_cast<std::uint32_t>(text.size()));
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  return out.append(text);
}

std::optional<std::string> take_message(std::string& buffer) {
  std::uint32_t size = 0;
  if (buffer.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, buffer.data(), sizeof size);
  size = ntohl(size);
  if (size > longest_message) throw std::runtime_error("a message is too long");
  if (buffer.size() < sizeof size + size) return std::nullopt;
  std::string out = buffer.substr(sizeof size, size);
  buffer.erase(0, sizeof size + size);
  return out;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string packed(std::initializer_list<std::string_view> words) {
  std::string out;
  for (const auto word : words) out += framed(word);
  return out;
}

std::optional<std::string> next_word(std::string_view& message) {
  std::string rest(message);
  auto word = take_message(rest);
  message.remove_prefix(message.size() - rest.size());
  return word;
}

}  // namespace cvf::train::wire

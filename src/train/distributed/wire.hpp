// Messages between the ranks and the place where they meet, and the proof that both sides know the secret.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cvf::train::wire {

/// An open socket, closed with its owner.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket();
  Socket(Socket&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Address {
  sockaddr_storage raw = {};
  socklen_t size = 0;

  const sockaddr* pointer() const { return reinterpret_cast<const sockaddr*>(&raw); }
  int family() const { return raw.ss_family; }
  bool is_loopback() const;
};

/// Of rank 0; a DistributedError when the name is not known here.
Address resolve(const std::string& host, int port);

/// Each side sends a nonce; then the rank proves that it knows the secret, and the meeting place that it does
/// too. The secret itself is never sent, and what was sent once is of no use a second time.
inline constexpr std::size_t nonce_size = 16, proof_size = 32;
std::string nonce();
std::string proof(std::string_view secret, std::string_view who, std::string_view nonces);
bool same(std::string_view a, std::string_view b);  // takes as long wherever they differ

/// A message is its length (four bytes) and its text.
inline constexpr std::size_t longest_message = 1 << 20;
std::string framed(std::string_view text);
/// Takes the first whole message off a buffer; nothing while there is none. Throws std::runtime_error on one
/// that is too long.
std::optional<std::string> take_message(std::string& buffer);

bool send_all(int socket, std::string_view bytes);

/// Words inside a message.
std::string packed(std::initializer_list<std::string_view> words);
std::optional<std::string> next_word(std::string_view& message);

}  // namespace cvf::train::wire

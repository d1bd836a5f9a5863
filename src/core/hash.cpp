#include "core/hash.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

#include "core/errors.hpp"
#include "core/interrupt.hpp"

namespace cvf {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reflected

constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t byte = 0; byte < out.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    out[byte] = value;
  }
  return out;
}();

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}
void Sha256::add(std::string_view text) {
  add(std::as_bytes(std::span(text)));
}

Digest Sha256::finish() {
  Digest digest{};
  EVP_DigestFinal_ex(state_->context, digest.data(), nullptr);
  return digest;
}

std::string hex(const Digest& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

Digest sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.finish();
}

Digest sha256_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError("{}: cannot be opened", path);
  Sha256 hash;
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    interrupt::throw_if_requested("nothing was changed");  // a large file takes many seconds
    hash.add(std::string_view(block.data(), static_cast<std::size_t>(in.gcount())));
  }
  if (in.bad()) throw DataError("{}: reading failed", path);
  return hash.finish();
}

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t value = ~std::uint32_t{0};
  for (const char c : bytes) value = (value >> 8) ^ table[(value ^ static_cast<std::uint8_t>(c)) & 0xFF];
  return ~value;
}

}  // namespace cvf

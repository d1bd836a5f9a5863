#include "core/event_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"
#include "core/hash.hpp"

namespace cvf {
namespace {

// Protocol buffers, as far as events need them: a key is the field's number and the form of what follows.
enum class Form { varint = 0, eight_bytes = 1, counted = 2, four_bytes = 5 };

template <class Number>
std::string little_endian(Number value) {
  std::string out;
  for (std::size_t byte = 0; byte < sizeof value; ++byte)
    out += static_cast<char>((value >> (8 * byte)) & 0xFF);
  return out;
}

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  return out + static_cast<char>(value);
}

std::string key(int field, Form form) {
  return varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(form));
}

std::string counted(int field, const std::string& content) {
  return key(field, Form::counted) + varint(content.size()) + content;
}

// message Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5;
//                 SessionLog session_log = 7; }
std::string event(std::int64_t step, const std::string& what) {
  using Seconds = std::chrono::duration<double>;
  const double now = Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  return key(1, Form::eight_bytes) + little_endian(std::bit_cast<std::uint64_t>(now)) + key(2, Form::varint) +
         varint(static_cast<std::uint64_t>(step)) + what;
}

std::string file_version() {
  return counted(3, "brain.Event:2");
}

// message SessionLog { SessionStatus status = 1; }, START = 1
std::string session_start() {
  return counted(7, key(1, Form::varint) + varint(1));
}

// message Summary { repeated Value value = 1; }, message Value { string tag = 1; float simple_value = 2; }
std::string summary(std::span<const std::pair<std::string, double>> scalars) {
  std::string values;
  for (const auto& [tag, value] : scalars) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    values += counted(1, counted(1, tag) + key(2, Form::four_bytes) + little_endian(bits));
  }
  return counted(5, values);
}

// TFRecord hides its checksums so that one of a record that holds records is not a plain CRC of CRCs.
std::string checksum(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian<std::uint32_t>(((crc >> 15) | (crc << 17)) + 0xA282EAD8U);
}

std::string record(const std::string& content) {
  const std::string length = little_endian(static_cast<std::uint64_t>(content.size()));
  return length + checksum(length) + content + checksum(content);
}

std::string host() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

// The second of the start leads the name, so that names sort by time; a number sets files of one second
// apart.
std::pair<std::string, int> open_new(const std::string& folder) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  for (int number = 0;; ++number) {
    const std::string path =
        fmt::format("{}/events.out.tfevents.{:010}.{:04}.{}", folder, seconds.count(), number, host());
    const int handle = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (handle >= 0) return {path, handle};
    if (errno != EEXIST) throw DataError("{}: cannot be made: {}", path, std::strerror(errno));
  }
}

}  // namespace

EventFile::EventFile(const std::string& folder, std::int64_t first_step) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::tie(path_, handle_) = open_new(folder);
  append(event(0, file_version()));
  if (first_step > 0) append(event(first_step, session_start()));
}

EventFile::~EventFile() {
  close(handle_);
}

void EventFile::add(std::int64_t step, std::span<const std::pair<std::string, double>> scalars) {
  if (step < last_step_) throw UsageError("{}: step {} comes after step {}", path_, step, last_step_);
  last_step_ = step;
  append(event(step, summary(scalars)));
}

void EventFile::append(const std::string& content) {
  const std::string bytes = record(content);
  const off_t before = lseek(handle_, 0, SEEK_END);
  const ssize_t written = write(handle_, bytes.data(), bytes.size());
  if (written == static_cast<ssize_t>(bytes.size())) return;
  const int reason = written < 0 ? errno : ENOSPC;
  if (ftruncate(handle_, before) != 0) {
  }  // a torn record would hide all that follow; without this one, only itself
  throw DataError("{}: cannot be written: {}", path_, std::strerror(reason));
}

}  // namespace cvf

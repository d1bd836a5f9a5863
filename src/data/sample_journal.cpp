#include "data/sample_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

std::string line_of(const std::string& words) {
  return fmt::format("{} {:08x}\n", words, crc32c(words));
}

std::string line_of(const SampleRecord& record) {
  return line_of(fmt::format("{} {:08x}", record.sample, record.sum));
}

// The words of a line whose checksum fits.
std::optional<std::string> words_of(const std::string& line) {
  const auto space = line.rfind(' ');
  if (space == std::string::npos) return std::nullopt;
  std::string words = line.substr(0, space);
  if (line_of(words) != line + "\n") return std::nullopt;
  return words;
}

std::optional<SampleRecord> record_of(const std::string& line) {
  const auto words = words_of(line);
  SampleRecord record{};
  if (!words) return std::nullopt;
  const char* const last = words->data() + words->size();
  const auto sample = std::from_chars(words->data(), last, record.sample);
  if (sample.ec != std::errc{} || sample.ptr == last) return std::nullopt;
  const auto sum = std::from_chars(sample.ptr + 1, last, record.sum, 16);
  return sum.ec == std::errc{} && sum.ptr == last ? std::optional(record) : std::nullopt;
}

}  // namespace

std::optional<SampleJournal::Content> SampleJournal::read() const {
  if (!std::filesystem::exists(path_)) return std::nullopt;
  const auto lines = text::split(files::read_whole(path_), '\n');
  const auto plan = words_of(lines.front());
  if (!plan) return std::nullopt;
  Content content{*plan, {}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (const auto record = record_of(lines[i])) content.records.push_back(*record);
  }
  return content;
}

void SampleJournal::start(const Content& content) {
  close();
  std::string lines = line_of(content.plan);
  for (const auto& record : content.records) lines += line_of(record);
  files::write_atomically(path_, std::string_view(lines));
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) fail("opening");
}

void SampleJournal::add(std::span<const SampleRecord> records) {
  std::string lines;
  for (const auto& record : records) lines += line_of(record);
  std::string_view left = lines;
  while (!left.empty()) {
    const ssize_t written = ::write(file_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("writing");
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fdatasync(file_) != 0) fail("fdatasync");
}

void SampleJournal::remove() {
  if (std::filesystem::remove(path_)) files::sync_folder_of(path_);
}

void SampleJournal::fail(std::string_view what) const {
  throw DataError("{}: {} failed: {}", path_, what, std::strerror(errno));
}

void SampleJournal::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace cvf::data

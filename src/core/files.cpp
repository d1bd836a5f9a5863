#include "core/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/errors.hpp"
#include "core/machine.hpp"

namespace cvf::files {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw DataError("{}: {} failed: {}", path, what, std::strerror(errno));
}

void sync_path(const std::string& path, int flags) {
  const int handle = open(path.c_str(), flags | O_CLOEXEC);
  if (handle < 0) fail(path, "opening");
  const bool good = fsync(handle) == 0;
  close(handle);
  if (!good) fail(path, "fsync");
}

void write_all(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) fail(path, "writing");
}

}  // namespace

void sync_file(const std::string& path) {
  sync_path(path, O_RDONLY);
}

void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  sync_path(folder.string(), O_RDONLY | O_DIRECTORY);
}

void write_atomically(const std::string& path, std::string_view content) {
  write_atomically(path, [&](const std::string& temporary) { write_all(temporary, content); });
}

void write_atomically(const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string temporary = fmt::format("{}.tmp{}", path, getpid());
  try {
    write(temporary);
    sync_file(temporary);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(path, "renaming into place");
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  sync_folder_of(path);
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a = {}, of_b = {};
  if (stat(a.c_str(), &of_a) != 0 || stat(b.c_str(), &of_b) != 0) return false;
  return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError("{}: cannot be opened", path);
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);  // pipes and devices have none
  if (!unknown && memory::exceeds(2.0 * static_cast<double>(size))) {
    throw DataError("{}: its {} {} to be read", path, memory::words(static_cast<double>(size)),
                    memory::shortage(2.0 * static_cast<double>(size)));
  }
  std::string text, block(std::size_t{1} << 16, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
  if (in.bad()) fail(path, "reading");
  return text;
}

}  // namespace cvf::files

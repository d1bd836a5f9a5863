#include "core/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
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

// For reading. A pipe may have no writer yet: opening does not wait for one, and waiting hears signals.
struct Descriptor {
  explicit Descriptor(const std::string& path)
      : number(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number < 0) throw DataError("{}: cannot be opened", path);
  }
  ~Descriptor() { close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// Until there is something to read, or the end; false: a signal came first.
  bool wait() const {
    pollfd reading{number, POLLIN, 0};
    while (poll(&reading, 1, 100) <= 0) {
      if (interrupt::requested()) return false;
    }
    return true;
  }

  int number;
};

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

void require_regular(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  const char* kind = S_ISDIR(status.st_mode) ? "folder" : S_ISFIFO(status.st_mode) ? "pipe" : "device";
  throw DataError("{}: is a {}, and a regular file is needed here; copy its content into one", path, kind);
}

std::string read_whole(const std::string& path, std::size_t most) {
  const Descriptor file(path);
  struct stat status = {};
  if (fstat(file.number, &status) != 0) fail(path, "reading");
  const auto size = static_cast<double>(status.st_size);  // 0: a pipe or a device, which have none
  if (memory::exceeds(2.0 * size)) {
    throw DataError("{}: its {} {} to be read", path, memory::words(size), memory::shortage(2.0 * size));
  }
  std::string text, block(std::size_t{1} << 16, '\0');
  while (file.wait()) {
    const ssize_t count = read(file.number, block.data(), block.size());
    if (count == 0) return text;
    if (count < 0 && errno != EAGAIN && errno != EINTR) fail(path, "reading");
    text.append(block, 0, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (text.size() > most) {
      throw DataError("{}: has more than the {} that such a file may have", path,
                      memory::words(static_cast<double>(most)));
    }
  }
  throw Interrupted("{}: interrupted while nothing came through this pipe", path);
}

}  // namespace cvf::files

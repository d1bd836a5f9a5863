// A file in memory with a path that libraries can open. (A memfd will not do: libhdf5 wants the real path of
// a file, and a memfd has none.)
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace cvf::fuzz {

class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* bytes, std::size_t count) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0 || write(descriptor, bytes, count) != static_cast<ssize_t>(count)) std::abort();
    close(descriptor);
  }
  ~MemoryFile() { unlink(path_.c_str()); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/dev/shm/cvf-fuzz-XXXXXX";
};

}  // namespace cvf::fuzz

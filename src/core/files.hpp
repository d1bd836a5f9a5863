// Files that are either the old one or the new one, never half of either.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cvf::files {

/// Writes beside `path`, fsyncs, renames over it and fsyncs the folder. A failure (disk full, say) leaves the
/// old file untouched and throws a DataError.
void write_atomically(const std::string& path, std::string_view content);

/// The same for writers that need a path: `write` fills the temporary file that it is given.
void write_atomically(const std::string& path,
                      const std::function<void(const std::string& temporary)>& write);

/// Whether both paths lead to one file that is there, whatever they are called: links, `..`, hard links.
bool same_file(const std::string& a, const std::string& b);

constexpr std::size_t largest_text = std::size_t{1} << 30;  // bytes

/// The whole content, of a pipe too; more than `most` bytes are a DataError. While it waits for a pipe, a
/// signal is an Interrupted.
std::string read_whole(const std::string& path, std::size_t most = largest_text);

/// Refuses what is there and no regular file: a folder, a pipe, a device.
void require_regular(const std::string& path);

void sync_file(const std::string& path);
void sync_folder_of(const std::string& path);

}  // namespace cvf::files

// One writer at a time: in a folder, and of a file.
namespace cvf {

/// Holds FOLDER/.lock while it lives. When another process has it, waits `patience` for its end, and is then
/// a UsageError that names it. The system frees it when a process dies.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder, std::chrono::seconds patience = {});
  ~FolderLock();
  bool in_place() const;  // false: the folder was removed or replaced meanwhile, and the lock with it
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int file_;
};

/// Holds FILE.lock while it lives, and removes it then. Waits for another writer, with a note; an Interrupted
/// when a signal comes meanwhile.
class WriterLock {
 public:
  explicit WriterLock(const std::string& file);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  bool take();  // false while another process has it

  std::string path_;
  int file_ = -1;
};

}  // namespace cvf

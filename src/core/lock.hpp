// One writer at a time: in a folder, and of a file.
#pragma once

#include <chrono>
#include <string>

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

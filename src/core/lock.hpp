// One writer at a time in a folder.
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

}  // namespace cvf

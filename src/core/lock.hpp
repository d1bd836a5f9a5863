// One writer at a time in a folder.
#pragma once

#include <string>

namespace cvf {

/// Holds FOLDER/.lock while it lives; a UsageError when another process has it. The system frees it when a
/// process dies.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace cvf

#include "core/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"

namespace cvf {

FolderLock::FolderLock(const std::string& folder) {
  const std::string path = folder + "/.lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw DataError("{}: cannot be written: {}", path, std::strerror(errno));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  close(file_);
  throw UsageError("{}: another process is working in it; wait for it, or give another folder", folder);
}

FolderLock::~FolderLock() {
  close(file_);
}

WriterLock::WriterLock(const std::string& file) : path_(file + ".lock") {
  for (bool waiting = false; !take(); waiting = true) {
    if (!waiting) log::note("{}: another process is writing it; waiting until it has finished", file);
    interrupt::throw_if_requested("nothing was begun");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool WriterLock::take() {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
  const bool held = flock(file_, LOCK_EX | LOCK_NB) == 0;
  if (!held && errno != EWOULDBLOCK && errno != EINTR) return true;  // a file system without locks
  // Whoever had it before us removed the file: then what we hold is a lock that nobody else will see.
  struct stat ours = {}, named = {};
  if (held && fstat(file_, &ours) == 0 && stat(path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
      ours.st_dev == named.st_dev) {
    return true;
  }
  close(file_);
  return false;
}

WriterLock::~WriterLock() {
  unlink(path_.c_str());  // while it is still held
  close(file_);
}

}  // namespace cvf

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"

namespace cvf {
namespace {

constexpr const char* lock_name = "/.lock";

// "process 1234 on host", as the holder wrote it.
std::string holder(int file) {
  char text[256] = {};
  return pread(file, text, sizeof text - 1, 0) > 0 ? text : "another process";
}

std::string this_process() {
  char host[128] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return fmt::format("process {} on {}", getpid(), host);
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, std::chrono::seconds patience) : path_(folder + lock_name) {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) throw DataError("{}: cannot be written: {}", path_, std::strerror(errno));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const bool over = std::chrono::steady_clock::now() >= deadline || interrupt::requested();
    if (over) {
      const std::string who = holder(file_);
      close(file_);
      throw UsageError("{}: {} is working in it; wait for it, or give another folder", folder, who);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const std::string us = this_process();  // for whoever comes next; the lock holds without it
  [[maybe_unused]] const bool told = ftruncate(file_, 0) == 0 && pwrite(file_, us.data(), us.size(), 0) > 0;
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

bool FolderLock::in_place() const {
  struct stat ours {
  }, theirs{};
  return fstat(file_, &ours) == 0 && stat(path_.c_str(), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

}  // namespace cvf

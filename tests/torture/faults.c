// Loaded in front of the C library (LD_PRELOAD): counts every file-system call below one folder, and makes the
// N-th of them fail, or end the process. The count lives in a mapped file, so it outlives a kill and is shared
// by the children of a process.
//
//   CVF_TORTURE_ROOT     only files below this folder count (with relative paths, which start there)
//   CVF_TORTURE_COUNTER  file of 8 bytes with the count so far
//   CVF_TORTURE_AT       the call that is disturbed, from 1 on; 0: none
//   CVF_TORTURE_ACTION   an errno's number, "short" (half of a write), "kill" or "term" (the signal, then the call)
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most_files = 4096 };

static char watched[most_files];  // by file descriptor
static const char* root = NULL;
static size_t root_length = 0;
static uint64_t* counter = NULL;
static uint64_t at = 0;
static const char* action = "";

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void prepare(void) {
  root = getenv("CVF_TORTURE_ROOT");
  const char* file = getenv("CVF_TORTURE_COUNTER");
  if (root == NULL || file == NULL) return;
  root_length = strlen(root);
  if (getenv("CVF_TORTURE_AT") != NULL) at = strtoull(getenv("CVF_TORTURE_AT"), NULL, 10);
  if (getenv("CVF_TORTURE_ACTION") != NULL) action = getenv("CVF_TORTURE_ACTION");
  const int handle = REAL(open)(file, O_RDWR | O_CLOEXEC);
  if (handle < 0) return;
  void* mapped = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  REAL(close)(handle);
  if (mapped != MAP_FAILED) counter = mapped;
}

static int counts(const char* path) {
  if (counter == NULL || path == NULL) return 0;
  return path[0] != '/' || strncmp(path, root, root_length) == 0;
}

static int counts_file(int file) {
  return counter != NULL && file >= 0 && file < most_files && watched[file];
}

static int watch(int file) {
  if (file >= 0 && file < most_files) watched[file] = 1;
  return file;
}

// 0: go on; 1: fail, errno is set; 2: do half.
static int disturbed(void) {
  if (__atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST) != at) return 0;
  if (strcmp(action, "kill") == 0) raise(SIGKILL);
  if (strcmp(action, "term") == 0) kill(getpid(), SIGTERM);
  if (strcmp(action, "short") == 0) return 2;
  errno = atoi(action);
  return errno != 0;
}

#define FAILS(condition) ((condition) && disturbed() == 1)

// ---- opening

static mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

#define OPENS(name)                                    \
  int name(const char* path, int flags, ...) {         \
    va_list rest;                                      \
    va_start(rest, flags);                             \
    const mode_t mode = mode_of(flags, rest);          \
    va_end(rest);                                      \
    if (!counts(path)) return REAL(name)(path, flags, mode); \
    if (disturbed() == 1) return -1;                   \
    return watch(REAL(name)(path, flags, mode));       \
  }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                         \
  int name(int folder, const char* path, int flags, ...) {     \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    const mode_t mode = mode_of(flags, rest);                  \
    va_end(rest);                                              \
    if (!counts(path)) return REAL(name)(folder, path, flags, mode); \
    if (disturbed() == 1) return -1;                           \
    return watch(REAL(name)(folder, path, flags, mode));       \
  }
OPENS_AT(openat)
OPENS_AT(openat64)

#define OPENS_STREAM(name)                              \
  FILE* name(const char* path, const char* how) {       \
    if (!counts(path)) return REAL(name)(path, how);    \
    if (disturbed() == 1) return NULL;                  \
    FILE* file = REAL(name)(path, how);                 \
    if (file != NULL) watch(fileno(file));              \
    return file;                                        \
  }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)

// ---- with an open file

int close(int file) {
  const int fails = FAILS(counts_file(file));
  const int saved = errno;
  if (file >= 0 && file < most_files) watched[file] = 0;
  const int result = REAL(close)(file);  // a close that fails has closed nevertheless
  if (!fails) return result;
  errno = saved;
  return -1;
}

int fclose(FILE* file) {
  const int number = fileno(file);
  if (number >= 0 && number < most_files) watched[number] = 0;  // the next one of this number may be a pipe
  return REAL(fclose)(file);
}

#define READS(name, ...)                                                            \
  ssize_t name(int file, void* bytes, size_t count __VA_OPT__(, ) __VA_ARGS__)
#define WRITES(name, ...) \
  ssize_t name(int file, const void* bytes, size_t count __VA_OPT__(, ) __VA_ARGS__)
#define MOVES(call, whole)                       \
  {                                              \
    const int how = counts_file(file) ? disturbed() : 0; \
    if (how == 1) return -1;                     \
    if (how == 2 && count > 1) count /= 2;       \
    return REAL(call) whole;                     \
  }
READS(read) MOVES(read, (file, bytes, count))
READS(pread, off_t offset) MOVES(pread, (file, bytes, count, offset))
READS(pread64, off64_t offset) MOVES(pread64, (file, bytes, count, offset))
WRITES(write) MOVES(write, (file, bytes, count))
WRITES(pwrite, off_t offset) MOVES(pwrite, (file, bytes, count, offset))
WRITES(pwrite64, off64_t offset) MOVES(pwrite64, (file, bytes, count, offset))

ssize_t writev(int file, const struct iovec* pieces, int count) {
  if (FAILS(counts_file(file))) return -1;
  return REAL(writev)(file, pieces, count);
}

#define ON_FILE(name, arguments, whole)         \
  int name arguments {                          \
    if (FAILS(counts_file(file))) return -1;    \
    return REAL(name) whole;                    \
  }
ON_FILE(fsync, (int file), (file))
ON_FILE(fdatasync, (int file), (file))
ON_FILE(ftruncate, (int file, off_t size), (file, size))
ON_FILE(ftruncate64, (int file, off64_t size), (file, size))
ON_FILE(fallocate, (int file, int mode, off_t offset, off_t size), (file, mode, offset, size))
ON_FILE(fallocate64, (int file, int mode, off64_t offset, off64_t size), (file, mode, offset, size))

ssize_t sendfile(int file, int from, off_t* offset, size_t count) {
  if (FAILS(counts_file(file))) return -1;
  return REAL(sendfile)(file, from, offset, count);
}

ssize_t copy_file_range(int from, off64_t* offset, int file, off64_t* to, size_t count, unsigned flags) {
  if (FAILS(counts_file(file))) return -1;
  return REAL(copy_file_range)(from, offset, file, to, count, flags);
}

// ---- with a path

#define ON_PATH(name, arguments, whole)    \
  int name arguments {                     \
    if (FAILS(counts(path))) return -1;    \
    return REAL(name) whole;               \
  }
ON_PATH(rename, (const char* path, const char* to), (path, to))
ON_PATH(renameat, (int folder, const char* path, int folder_to, const char* to), (folder, path, folder_to, to))
ON_PATH(mkdir, (const char* path, mode_t mode), (path, mode))
ON_PATH(rmdir, (const char* path), (path))
ON_PATH(unlink, (const char* path), (path))
ON_PATH(unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
ON_PATH(remove, (const char* path), (path))
ON_PATH(link, (const char* path, const char* to), (path, to))
ON_PATH(symlink, (const char* target, const char* path), (target, path))
ON_PATH(truncate, (const char* path, off_t size), (path, size))
ON_PATH(truncate64, (const char* path, off64_t size), (path, size))

DIR* opendir(const char* path) {
  if (FAILS(counts(path))) return NULL;
  return REAL(opendir)(path);
}

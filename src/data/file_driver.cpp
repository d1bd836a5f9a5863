#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "core/errors.hpp"
#include "data/hdf5.hpp"

namespace cvf::data::hdf5 {
namespace {

void note(int& first_fault) {
  if (first_fault == 0) first_fault = errno != 0 ? errno : EIO;
}

struct OpenFile {
  H5FD_t common = {};  // first: libhdf5 sees nothing else
  int handle = -1;
  haddr_t end = 0;  // of what libhdf5 has given out; the file may be shorter or longer
  haddr_t size = 0;
  struct stat identity = {};
  SharedFaults faults;

  void fail() const { note(faults->write); }
  bool failed() const { return faults->write != 0; }
};

OpenFile& of(H5FD_t* file) {
  return *reinterpret_cast<OpenFile*>(file);
}
const OpenFile& of(const H5FD_t* file) {
  return *reinterpret_cast<const OpenFile*>(file);
}

hid_t driver();

// ---- what libhdf5 copies with a property list: the place where faults are noted

void* copy_settings(const void* settings) {
  return new SharedFaults(*static_cast<const SharedFaults*>(settings));
}

herr_t free_settings(void* settings) {
  delete static_cast<SharedFaults*>(settings);
  return 0;
}

void* settings_of(H5FD_t* file) {
  return new SharedFaults(of(file).faults);
}

// ---- files

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* faults = static_cast<const SharedFaults*>(H5Pget_driver_info(access));
  if (faults == nullptr) return nullptr;
  int how = O_CLOEXEC | ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY);
  if ((flags & H5F_ACC_CREAT) != 0) how |= O_CREAT;
  if ((flags & H5F_ACC_TRUNC) != 0) how |= O_TRUNC;
  if ((flags & H5F_ACC_EXCL) != 0) how |= O_EXCL;
  auto file = std::make_unique<OpenFile>();
  file->faults = *faults;
  file->handle = ::open(name, how, 0644);
  if (file->handle < 0 || fstat(file->handle, &file->identity) != 0) {
    note((flags & H5F_ACC_RDWR) != 0 ? file->faults->write : file->faults->read);
    if (file->handle >= 0) ::close(file->handle);
    return nullptr;
  }
  *file->faults = {};  // libhdf5 first tries to open what it is about to create
  file->size = static_cast<haddr_t>(file->identity.st_size);
  return &file.release()->common;
}

herr_t close_file(H5FD_t* file) {
  if (::close(of(file).handle) != 0) of(file).fail();
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const H5FD_t* file) {
    return std::make_pair(of(file).identity.st_dev, of(file).identity.st_ino);
  };
  return key(a) < key(b) ? -1 : key(b) < key(a) ? 1 : 0;
}

// As libhdf5's own driver for POSIX files, so that the same calls lay out the same bytes.
herr_t features(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  }
  return 0;
}

haddr_t end_given_out(const H5FD_t* file, H5FD_mem_t) {
  return of(file).end;
}
herr_t give_out(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end = end;
  return 0;
}
haddr_t size_of(const H5FD_t* file, H5FD_mem_t) {
  return of(file).size;
}

herr_t handle_of(H5FD_t* file, hid_t, void** handle) {
  *handle = &of(file).faults;
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t count, void* buffer) {
  auto* next = static_cast<char*>(buffer);
  while (count > 0) {
    const ssize_t got = pread(of(file).handle, next, count, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      note(of(file).faults->read);
      return -1;
    }
    if (got == 0) break;
    next += got;
    address += static_cast<haddr_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  std::memset(next, 0, count);  // behind the end of the file
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t count, const void* buffer) {
  OpenFile& to = of(file);
  const auto* next = static_cast<const char*>(buffer);
  while (count > 0 && !to.failed()) {
    const ssize_t put = pwrite(to.handle, next, count, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      to.fail();
      break;
    }
    next += put;
    address += static_cast<haddr_t>(put);
    count -= static_cast<std::size_t>(put);
  }
  to.size = std::max(to.size, address + count);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  OpenFile& to = of(file);
  if (to.size == to.end) return 0;
  if (!to.failed() && ftruncate(to.handle, static_cast<off_t>(to.end)) != 0) to.fail();
  to.size = to.end;
  return 0;
}

// File systems without locks are no reason to refuse.
herr_t lock(H5FD_t* file, hbool_t exclusive) {
  const int how = (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB;
  return flock(of(file).handle, how) != 0 && errno == EWOULDBLOCK ? -1 : 0;
}

herr_t unlock(H5FD_t* file) {
  flock(of(file).handle, LOCK_UN);
  return 0;
}

hid_t driver() {
  static const H5FD_class_t description = [] {
    H5FD_class_t d = {};
#ifdef H5FD_CLASS_VERSION  // HDF5 1.14 and later reject a driver without them
    constexpr H5FD_class_value_t unregistered =
        491;  // any of 256 to 511: free for drivers without an official number
    d.version = H5FD_CLASS_VERSION;
    d.value = unregistered;
#endif
    d.name = "cvf";
    d.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
    d.fc_degree = H5F_CLOSE_WEAK;
    d.fapl_size = sizeof(SharedFaults);
    d.fapl_get = settings_of;
    d.fapl_copy = copy_settings;
    d.fapl_free = free_settings;
    d.open = open_file;
    d.close = close_file;
    d.cmp = compare;
    d.query = features;
    d.get_eoa = end_given_out;
    d.set_eoa = give_out;
    d.get_eof = size_of;
    d.get_handle = handle_of;
    d.read = read;
    d.write = write;
    d.truncate = truncate;
    d.lock = lock;
    d.unlock = unlock;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), d.fl_map);
    return d;
  }();
  static const hid_t id = [] {
    const hid_t registered = H5FDregister(&description);
    if (registered < 0) throw DataError("libhdf5 {} rejects the file driver: {}", H5_VERS_INFO, reason());
    return registered;
  }();
  return id;
}

}  // namespace

void use_file_driver(hid_t access, const SharedFaults& faults) {
  if (H5Pset_driver(access, driver(), &faults) < 0) {
    throw DataError("libhdf5 does not accept the file driver: {}", reason());
  }
}

SharedFaults faults_of(hid_t file) {
  // Only a handle of this driver points to faults: that of libhdf5's own driver is a file descriptor.
  const Handle access(H5Fget_access_plist(file));
  if (!access || H5Pget_driver(access.get()) != driver()) return std::make_shared<Faults>();
  void* faults = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &faults) < 0) return std::make_shared<Faults>();
  return *static_cast<const SharedFaults*>(faults);
}

}  // namespace cvf::data::hdf5

#include "data/hdf5.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/errors.hpp"
#include "data/lzf.hpp"

namespace cvf::data::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static auto* mutex =
      new std::recursive_mutex;  // never destroyed: handles in static objects may outlive main
  return *mutex;
}

int guards = 0;  // that are held, by the thread that has the mutex

herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

Handle file_access(const std::string& path, const SharedFaults& faults) {
  Handle access(checked(H5Pcreate(H5P_FILE_ACCESS), path));
  use_file_driver(access.get(), faults);
  return access;
}

std::string reason_of(int fault) {
  return fault != 0 ? std::strerror(fault) : reason();
}

// Groups and datasets that are still open would keep the file open, and its last writes would fail unheard.
// Their handles are void from then on. False: libhdf5 could not list or close them.
bool close_objects(hid_t file) {
  constexpr unsigned kinds =
      H5F_OBJ_LOCAL | H5F_OBJ_GROUP | H5F_OBJ_DATASET | H5F_OBJ_ATTR | H5F_OBJ_DATATYPE;
  const ssize_t count = H5Fget_obj_count(file, kinds);
  if (count <= 0) return count == 0;
  std::vector<hid_t> open(static_cast<std::size_t>(count));
  if (H5Fget_obj_ids(file, kinds, open.size(), open.data()) < 0) return false;
  bool closed = true;
  for (const hid_t object : open) {
    int references = 1;
    while (references > 0) references = H5Idec_ref(object);
    closed = closed && references == 0;
  }
  return closed;
}

}  // namespace

Guard::Guard() : lock_(library_mutex()) {
  ++guards;
  silenced_ = H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_) >= 0 &&
              H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;  // else libhdf5 prints, which harms nothing
  static const bool registered = lzf::register_filter();
  (void)registered;  // if it failed, opening an LZF dataset says so by name
}

Guard::~Guard() {
  // Each thread has a list of errors. One that ends with entries in it keeps libhdf5 from closing at exit.
  if (--guards == 0) (void)H5Eclear2(H5E_DEFAULT);  // reasons have been read: they are for the Guard's holder
  if (silenced_)
    (void)H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);  // what was set once can be set again
}

std::string reason() {
  std::string text;
  const herr_t walked = H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
  return walked < 0 || text.empty() ? "libhdf5 gives no reason" : text;
}

void fail(const std::string& name) {
  throw DataError("{}: libhdf5 fails: {}", name, reason());
}

void fail(const Object& object) {
  throw DataError("{}: libhdf5 fails: {}", object.name(), reason_of(object.faults_->read));
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
  }
  return *this;
}

void Handle::reset() noexcept {
  if (id_ < 0) return;
  const Guard guard;
  // A destructor has nobody to report to; what was written is checked by File::close.
  (void)H5Idec_ref(std::exchange(id_, H5I_INVALID_HID));
}

Object::Object(Handle handle, std::string file, std::string path, SharedFaults faults)
    : handle_(std::move(handle)),
      file_(std::move(file)),
      path_(std::move(path)),
      faults_(std::move(faults)) {}

std::string Object::name() const {
  return fmt::format("{}: '{}'", file_, path_);
}

void Object::require_read() const {
  if (faults_->read != 0) throw DataError("{}: cannot be read: {}", file_, std::strerror(faults_->read));
}

void Object::require_written() const {
  if (faults_->write != 0) throw DataError("{}: cannot be written: {}", file_, std::strerror(faults_->write));
}

File File::open(const std::string& path) {
  const Guard guard;
  const auto faults = std::make_shared<Faults>();
  const Handle access = file_access(path, faults);
  Handle handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (!handle) throw DataError("{}: cannot be opened as HDF5: {}", path, reason_of(faults->read));
  return {std::move(handle), path};
}

File File::extend(const std::string& path) {
  const Guard guard;
  const auto faults = std::make_shared<Faults>();
  const Handle access = file_access(path, faults);
  Handle handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()));
  if (!handle) throw DataError("{}: cannot be opened for writing: {}", path, reason_of(faults->write));
  return {std::move(handle), path};
}

File File::create(const std::string& path) {
  const Guard guard;
  const auto faults = std::make_shared<Faults>();
  const Handle access = file_access(path, faults);
  Handle handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  if (!handle) throw DataError("{}: cannot be created: {}", path, reason_of(faults->write));
  return {std::move(handle), path};
}

Group File::root() const {
  const Guard guard;
  Handle handle(H5Gopen2(handle_.get(), "/", H5P_DEFAULT));
  if (!handle) throw DataError("{}: has no root group: {}", path_, reason_of(faults_->read));
  return {std::move(handle), path_, "/", faults_};
}

void File::close() {
  const Guard guard;
  std::string failure = H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL) < 0 ? reason() : "";
  if (!close_objects(handle_.get()) && failure.empty()) failure = reason();
  handle_.reset();
  if (faults_->write != 0) throw DataError("{}: cannot be written: {}", path_, std::strerror(faults_->write));
  if (!failure.empty()) throw DataError("{}: cannot be written: {}", path_, failure);
}

bool is_hdf5(const std::string& path) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  std::ifstream in(path, std::ios::binary);
  std::string found(signature.size(), '\0');
  constexpr std::streamoff farthest = std::streamoff{1} << 60;
  for (std::streamoff place = 0; in && place < farthest;
       place = place == 0 ? 512 : 2 * place) {  // user block
    in.seekg(place);
    if (in.read(found.data(), static_cast<std::streamsize>(found.size())) && found == signature) return true;
  }
  if (in.bad()) throw DataError("{}: cannot be read: {}", path, std::strerror(errno));
  return false;
}

}  // namespace cvf::data::hdf5

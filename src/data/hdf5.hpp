// HDF5 with owners: every identifier closes itself, every failure is a DataError that names file and object.
//
// One mutex guards all calls, because not every build of libhdf5 is thread-safe and its error stack is shared
// state. HDF5 headers appear here and in the .cpp files of this room, nowhere else.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cvf::data::hdf5 {

// How libhdf5 reads and writes files here: as its own driver does, but for one thing. A write that fails
// (disk full, quota, a limit on the size of files) is remembered, and from then on writes are dropped as if
// they had succeeded. libhdf5 cannot close a file whose last bytes do not go to disk: it keeps it open and
// crashes when the process ends. With this driver it closes in good order, and File::close and Dataset::write
// say what happened. Reads that fail are remembered too: to libhdf5 what cannot be read is often merely
// absent (an attribute, a member of a group), and a bad disk must not turn into other data.

/// The errno of the first read and of the first write that failed; 0 while all is well.
struct Faults {
  int read = 0, write = 0;
};
using SharedFaults = std::shared_ptr<Faults>;

/// Makes files that are opened with `access` use this driver. Within a Guard.
void use_file_driver(hid_t access, const SharedFaults& faults);

/// Of an open file, which may have been opened before with other ones. Within a Guard.
SharedFaults faults_of(hid_t file);

using Extents = std::vector<std::size_t>;

/// Sizes as libhdf5 takes them.
inline std::vector<hsize_t> to_hsize(std::span<const std::size_t> sizes) {
  return {sizes.begin(), sizes.end()};
}

/// Held around any run of HDF5 calls, nested at will: takes the mutex, silences the error printer of the
/// calling thread (and puts the host program's own back, with no errors left), makes sure that our filters
/// are registered.
class Guard {
 public:
  Guard();
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  bool silenced_ = false;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// The innermost message on the error stack, e.g. "addr overflow". Within the Guard of the failed call, and
/// before any Handle is closed: every call into libhdf5 wipes the stack, so the handles that a call needs
/// have names.
std::string reason();

/// Throws a DataError about `name`, with libhdf5's reason for its last call. Within the Guard of that call.
class Object;
[[noreturn]] void fail(const std::string& name);
[[noreturn]] void fail(const Object& object);  // with the reason of a read that failed

/// The result of a call into libhdf5, which reports failures by negative numbers. No call may go unchecked:
/// one that fails leaves the default behind (the whole array instead of a block) and the next one succeeds
/// with it.
template <class Result, class Named>
Result checked(Result result, const Named& named) {
  if (static_cast<std::int64_t>(result) < 0) fail(named);
  return result;
}

/// Owns one identifier of any kind (file, group, dataset, type, space, property list).
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// What groups and datasets share: a name for sentences, and attributes.
class Object {
 public:
  const std::string& file() const { return file_; }
  const std::string& path() const { return path_; }
  std::string name() const;  // "run.h5: '/0000/data'"
  hid_t id() const { return handle_.get(); }

  std::vector<std::string> attribute_names() const;
  bool has_attribute(const std::string& attribute) const;
  /// A text, or a list of texts joined by commas; nothing when absent or a number.
  std::optional<std::string> text(const std::string& attribute) const;
  std::optional<double> number(const std::string& attribute) const;  // nothing when absent or not one number
  /// Empty when absent or numbers; a DataError for an attribute of any other type.
  std::vector<std::string> texts(const std::string& attribute) const;
  std::vector<double> numbers(const std::string& attribute) const;  // booleans count as 0 and 1
  std::optional<std::string> shown(
      const std::string& attribute) const;  // text or numbers, for people to read

  void set(const std::string& attribute, std::string_view value);  // these replace what is there
  void set(const std::string& attribute, const char* value) { set(attribute, std::string_view(value)); }
  void set(const std::string& attribute, double value);
  void set(const std::string& attribute, std::int64_t value);

 protected:
  friend void fail(const Object& object);
  Object(Handle handle, std::string file, std::string path, SharedFaults faults);
  void require_read() const;     // refuses to go on once a read of the file has failed
  void require_written() const;  // the same for a write
  Handle handle_;
  std::string file_, path_;
  SharedFaults faults_;
};

enum class Element { float32, float64, int64, uint8 };

/// How a new dataset is stored. Chunks are needed for deflate and for growing.
struct Storage {
  Element element = Element::float32;
  Extents chunk = {};     // empty: contiguous
  int deflate = 0;        // 0 = none, 1..9
  bool shuffle = false;   // byte shuffle before deflate
  bool growable = false;  // the first axis may be extended with grow()
  bool reserved = false;  // room in the file at once, without filling it
};

/// How stored values become numbers, as attributes of the CF conventions state it: NaN where a stored value
/// is one of `missing` (_FillValue, missing_value), else scale_factor * stored + add_offset.
struct Packing {
  std::vector<double> missing;
  double scale = 1, offset = 0;
  bool is_real = false;  // whole numbers with a scale or an offset are real numbers

  bool is_plain() const { return missing.empty() && scale == 1 && offset == 0; }
  double unpacked(double stored) const;
};

/// An array in a file. Opening refuses what cannot be read safely: external or virtual storage, unknown
/// filters, sizes that the file cannot hold.
class Dataset : public Object {
 public:
  const Extents& extents() const { return extents_; }
  std::size_t rank() const { return extents_.size(); }
  std::size_t size() const;          // number of values
  bool is_floating() const;          // or packed in whole numbers
  bool is_numeric() const;           // floating or whole numbers
  std::size_t element_size() const;  // bytes of one stored value
  std::size_t stored_bytes() const;  // bytes in the file; 0 when nothing was ever written
  Extents chunk() const;             // empty when not chunked
  std::string remark() const;        // on chunks that were never written; empty when all were

  /// A block in storage order, unpacked and converted to the given type. NaN where values are missing, and in
  /// chunks that were never written unless the file states a fill value.
  void read(std::span<const std::size_t> start, std::span<const std::size_t> count, float* values) const;
  void read(std::span<const std::size_t> start, std::span<const std::size_t> count, double* values) const;
  std::vector<double> read_all() const;  // for coordinates and scalars: refuses more than 2^24 values

  void write(std::span<const std::size_t> start, std::span<const std::size_t> count, const float* values);
  void write(std::span<const std::size_t> start, std::span<const std::size_t> count, const double* values);
  void grow(std::size_t first_extent);

  /// Reopens with a chunk cache that holds every chunk of such a block, so that reading neighbouring blocks
  /// in turn unpacks no chunk twice. Returns the bytes that the cache may take.
  std::size_t fit_cache(std::span<const std::size_t> block, std::size_t most_bytes = std::size_t{64} << 20);

 private:
  friend class Group;
  Dataset(Handle handle, std::string file, std::string path, SharedFaults faults);
  Handle stored_type() const;
  Handle space_of(std::span<const std::size_t> start, std::span<const std::size_t> count) const;
  template <class Number>
  void transfer(std::span<const std::size_t> start, std::span<const std::size_t> count, Number* values) const;
  void require_in_range(std::span<const std::size_t> start, std::span<const std::size_t> count,
                        const float* values) const;
  void store(std::span<const std::size_t> start, std::span<const std::size_t> count, hid_t type,
             const void* values);
  void require_readable() const;

  // Of values that are read (hdf5_values.cpp).
  void learn_conventions();
  std::size_t count_unwritten() const;
  bool is_written(const std::vector<hsize_t>& corner) const;
  bool leave_out_holes(std::span<const std::size_t> start, std::span<const std::size_t> count, hid_t space,
                       hid_t memory) const;

  Extents extents_;
  Packing packing_;
  std::size_t unwritten_ = 0;  // chunks
  bool has_holes_ = false;     // some were never written, and the file states no fill value
};

enum class Kind { none, group, dataset, link, other };  // link: soft or external, which are never followed

class Group : public Object {
 public:
  std::vector<std::string> children() const;  // sorted by name
  Kind kind(const std::string& child) const;  // of one child or a path such as "grid/x"
  bool has_dataset(const std::string& child) const { return kind(child) == Kind::dataset; }
  bool has_group(const std::string& child) const { return kind(child) == Kind::group; }
  Group group(const std::string& child) const;
  Group again() const;  // a second owner of the same group, which keeps the file open
  Dataset dataset(const std::string& child) const;

  Group create_group(const std::string& child) const;
  Dataset create_dataset(const std::string& child, const Extents& extents, const Storage& storage = {}) const;
  /// A whole small array (coordinates) or, with no extents, one number.
  void write_array(const std::string& child, std::span<const double> values, const Storage& storage) const;
  void write_number(const std::string& child, double value) const;

 private:
  friend class File;
  Group(Handle handle, std::string file, std::string path, SharedFaults faults);
  std::string below(const std::string& child) const;
};

class File {
 public:
  static File open(const std::string& path);    // read-only
  static File create(const std::string& path);  // an existing file is replaced
  static File extend(const std::string& path);  // read and write
  Group root() const;
  /// Closes its groups and datasets too. Throws when the last bytes cannot be written; the destructor cannot.
  void close();

 private:
  File(Handle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)), faults_(faults_of(handle_.get())) {}
  Handle handle_;
  std::string path_;
  SharedFaults faults_;
};

/// True when the file begins like HDF5 (a user block is allowed for).
bool is_hdf5(const std::string& path);

}  // namespace cvf::data::hdf5

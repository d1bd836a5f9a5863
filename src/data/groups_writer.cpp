#include "data/groups_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/crc32c.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/text.hpp"
#include "data/hdf5.hpp"

namespace cvf::data {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they are in memory");

constexpr std::chrono::seconds flush_every{2};

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw DataError("{}: {} failed: {}", path, what, std::strerror(errno));
}

int open_file(const std::string& path) {
  const int handle = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (handle < 0) fail(path, "opening");
  return handle;
}

// Hears a wish to stop, once for many frames: a layout of a moment is finished, and then can be gone on from.
void listen(std::size_t frames, std::size_t& unheard) {
  unheard += frames;
  if (unheard < 1000) return;
  unheard = 0;
  interrupt::throw_if_requested("the same command goes on");
}

haddr_t chunk_address(const hdf5::Dataset& dataset, std::size_t frame) {
  std::vector<hsize_t> corner(dataset.rank(), 0);
  corner.front() = frame;
  unsigned filters = 0;
  hsize_t size = 0;
  haddr_t address = HADDR_UNDEF;
  H5Dget_chunk_info_by_coord(dataset.id(), corner.data(), &filters, &address, &size);
  return address;
}

// The byte offsets of the frames of a dataset whose room is already reserved. HDF5 reserves chunks one behind
// the other; only where it did not is each of them looked up, which takes HDF5 a walk over all chunks.
std::vector<std::uint64_t> frame_offsets(const hdf5::Dataset& dataset, std::size_t frame_bytes) {
  const std::size_t frames = dataset.extents().front();
  const bool chunked = !dataset.chunk().empty();
  const haddr_t begin = chunked ? chunk_address(dataset, 0) : H5Dget_offset(dataset.id());
  const bool in_a_row = !chunked || chunk_address(dataset, frames - 1) == begin + (frames - 1) * frame_bytes;
  std::vector<std::uint64_t> out(frames);
  std::size_t unheard = 0;
  for (std::size_t i = 0; i < frames; ++i) {
    if (!in_a_row) listen(frames, unheard);
    out[i] = in_a_row ? begin + i * frame_bytes : chunk_address(dataset, i);
  }
  return out;
}

}  // namespace

GroupsWriter::GroupsWriter(std::string path, GroupsPlan plan, Remains remains)
    : path_(std::move(path)),
      part_path_(path_ + ".part"),
      journal_(path_ + ".journal"),
      plan_(std::move(plan)),
      remains_(remains),
      complete_(plan_.samples(), 0),
      sums_(plan_.samples()) {
  const bool goes_on = remains == Remains::continued && std::filesystem::exists(part_path_);
  const auto before = goes_on ? journal_.read() : std::nullopt;
  before ? go_on(*before) : begin();
}

GroupsWriter::~GroupsWriter() {
  if (remains_ == Remains::discarded && !finished_) discard();
  if (file_ >= 0) close(file_);
}

std::size_t GroupsWriter::completed() const {
  return static_cast<std::size_t>(std::count(complete_.begin(), complete_.end(), 1));
}

// ---- beginning

void GroupsWriter::begin() {
  // One that outlived its file (killed before it was removed) would speak for the samples of the new one.
  journal_.remove();
  try {
    lay_out(part_path_);
    find_places(part_path_);
    file_ = open_file(part_path_);
    reserve_disk();
    if (fsync(file_) != 0) fail(part_path_, "fsync");
    journal_.start({plan_.digest(), {}});
  } catch (...) {  // nobody could go on from it without a journal
    if (file_ >= 0) close(file_);
    discard();
    throw;
  }
}

void GroupsWriter::lay_out(const std::string& path) const {
  const hdf5::Guard guard;
  hdf5::File file = hdf5::File::create(path);
  hdf5::Group root = file.root();
  write_root(root, plan_);
  std::size_t unheard = 0;
  for (std::size_t sample = 0; sample < plan_.samples(); ++sample) {
    listen(plan_.times[sample].size(), unheard);
    hdf5::Group group = root.create_group(plan_.key(sample));
    group.set("sample", static_cast<std::int64_t>(sample));
    hdf5::Storage storage{hdf5::Element::float32};
    storage.reserved = true;
    const auto extents = plan_.extents(sample);
    if (extents.size() > 2) {  // a vector state's frames are too small for chunks of their own
      storage.chunk = extents;
      storage.chunk.front() = 1;
    }
    group.create_dataset("data", extents, storage).set("axes", plan_.axes());
    write_grid(group, plan_, sample);
    hdf5::Group scalars = group.create_group("scalars");
    for (const auto& name : plan_.scalar_names) {
      hdf5::Storage number{hdf5::Element::float64};
      number.reserved = true;
      scalars.create_dataset(name, {}, number);
    }
  }
  file.close();
}

void GroupsWriter::find_places(const std::string& path) {
  const hdf5::Guard guard;
  const hdf5::Group root = hdf5::File::open(path).root();
  places_.resize(plan_.samples());
  std::size_t unheard = 0;
  for (std::size_t sample = 0; sample < plan_.samples(); ++sample) {
    listen(plan_.times[sample].size(), unheard);
    const hdf5::Group group = root.group(plan_.key(sample));
    places_[sample].frames = frame_offsets(group.dataset("data"), plan_.frame_size() * sizeof(float));
    for (const auto& name : plan_.scalar_names) {
      places_[sample].scalars.push_back(H5Dget_offset(group.dataset("scalars/" + name).id()));
    }
    for (const auto* offsets : {&places_[sample].frames, &places_[sample].scalars}) {
      if (std::find(offsets->begin(), offsets->end(), HADDR_UNDEF) != offsets->end()) {
        throw DataError("{}: no room was reserved for sample {}; delete the file and begin again", path,
                        sample);
      }
    }
  }
}

// Better a clear word now than a full disk after an hour.
void GroupsWriter::reserve_disk() {
  struct stat status = {};
  if (fstat(file_, &status) != 0) fail(part_path_, "asking for the size");
  if (fallocate(file_, 0, 0, status.st_size) == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return;
  if (errno == ENOSPC) {
    const auto space = std::filesystem::space(std::filesystem::absolute(part_path_).parent_path());
    throw DataError("{}: needs {}, but the disk has only {} free", path_,
                    text::bytes(static_cast<std::uint64_t>(status.st_size)), text::bytes(space.available));
  }
  fail(part_path_, "reserving room");
}

// ---- writing

void GroupsWriter::write_at(std::uint64_t offset, const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = pwrite(file_, next, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail(part_path_, "writing");
    next += written;
    offset += static_cast<std::uint64_t>(written);
    count -= static_cast<std::size_t>(written);
  }
}

std::uint32_t& GroupsWriter::sum_of(std::size_t sample, std::size_t piece) {
  auto& sums = sums_[sample];
  if (sums.empty()) sums.resize(plan_.times[sample].size() + plan_.scalar_names.size());
  return sums.at(piece);
}

void GroupsWriter::write_frame(std::size_t sample, std::size_t frame, std::span<const float> values) {
  write_at(places_[sample].frames.at(frame), values.data(), values.size_bytes());
  sum_of(sample, frame) = crc32c(std::as_bytes(values));
}

void GroupsWriter::write_scalars(std::size_t sample, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    write_at(places_[sample].scalars.at(i), &values[i], sizeof(double));
    sum_of(sample, plan_.times[sample].size() + i) = crc32c(std::as_bytes(values.subspan(i, 1)));
  }
}

void GroupsWriter::finish_sample(std::size_t sample) {
  const std::vector<std::uint32_t> sums = std::exchange(sums_[sample], {});
  {
    const std::lock_guard lock(mutex_);
    complete_[sample] = 1;
    unrecorded_.push_back({sample, crc32c(std::as_bytes(std::span(sums)))});
  }
  // One thread waits for the disk now and then; the others go on.
  std::unique_lock flushing(flush_mutex_, std::try_to_lock);
  if (flushing && std::chrono::steady_clock::now() - flushed_ >= flush_every) record();
}

void GroupsWriter::add(std::span<const SmallArray> arrays) {
  flush();
  hdf5::File file = hdf5::File::extend(part_path_);
  for (const auto& array : arrays) {
    interrupt::throw_if_requested("no file was written");
    const hdf5::Guard guard;
    const hdf5::Group sample = file.root().group(plan_.key(array.sample));
    const hdf5::Group group =
        sample.has_group(array.group) ? sample.group(array.group) : sample.create_group(array.group);
    if (!array.values.empty()) group.write_array(array.name, array.values, {hdf5::Element::float64});
  }
  file.close();
}

void GroupsWriter::flush() {
  const std::lock_guard lock(flush_mutex_);
  record();
}

// The journal may only name what is on disk: first the data, then the line.
void GroupsWriter::record() {
  std::vector<SampleRecord> records;
  {
    const std::lock_guard lock(mutex_);
    records.swap(unrecorded_);
  }
  if (!records.empty()) {
    if (fdatasync(file_) != 0) fail(part_path_, "fdatasync");
    journal_.add(records);
  }
  flushed_ = std::chrono::steady_clock::now();
}

void GroupsWriter::finish() {
  if (completed() != plan_.samples()) {
    throw DataError("{}: {} of {} samples are missing", part_path_, plan_.samples() - completed(),
                    plan_.samples());
  }
  if (fsync(file_) != 0) fail(part_path_, "fsync");
  if (std::rename(part_path_.c_str(), path_.c_str()) != 0) fail(path_, "renaming into place");
  finished_ = true;
  files::sync_folder_of(path_);
  journal_.remove();
}

void GroupsWriter::discard() {
  std::error_code ignored;
  std::filesystem::remove(journal_.path(), ignored);
  std::filesystem::remove(part_path_, ignored);
}

}  // namespace cvf::data

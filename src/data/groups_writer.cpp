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

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/hash.hpp"
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
  if (sums.empty()) {
    const Places& places = places_[sample];
    sums.resize(places.frames.size() + places.scalars.size() + places.statics.size() +
                places.controls.size() + places.control_fields.size());
  }
  return sums.at(piece);
}

void GroupsWriter::write_frame(std::size_t sample, std::size_t frame, std::span<const float> values) {
  write_at(places_[sample].frames.at(frame), values.data(), values.size_bytes());
  sum_of(sample, frame) = crc32c(std::as_bytes(values));
}

void GroupsWriter::write_beside(std::size_t sample, std::size_t which, std::size_t frame,
                                std::span<const float> values) {
  write_frame(sample, (which + 1) * plan_.times[sample].size() + frame, values);
}

void GroupsWriter::write_scalars(std::size_t sample, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    write_at(places_[sample].scalars.at(i), &values[i], sizeof(double));
    sum_of(sample, places_[sample].frames.size() + i) = crc32c(std::as_bytes(values.subspan(i, 1)));
  }
}

void GroupsWriter::write_static(std::size_t sample, std::size_t which, std::span<const float> values) {
  const Places& places = places_[sample];
  write_at(places.statics.at(which), values.data(), values.size_bytes());
  const std::size_t before = places.frames.size() + places.scalars.size();
  sum_of(sample, before + which) = crc32c(std::as_bytes(values));
}

void GroupsWriter::write_control(std::size_t sample, std::size_t which, std::span<const float> values) {
  const Places& places = places_[sample];
  write_at(places.controls.at(which), values.data(), values.size_bytes());
  const std::size_t before = places.frames.size() + places.scalars.size() + places.statics.size();
  sum_of(sample, before + which) = crc32c(std::as_bytes(values));
}

void GroupsWriter::write_control_field(std::size_t sample, std::size_t which, std::span<const float> values) {
  const Places& places = places_[sample];
  write_at(places.control_fields.at(which), values.data(), values.size_bytes());
  const std::size_t before =
      places.frames.size() + places.scalars.size() + places.statics.size() + places.controls.size();
  sum_of(sample, before + which) = crc32c(std::as_bytes(values));
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

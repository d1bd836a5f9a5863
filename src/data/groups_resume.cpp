// GroupsWriter, where it goes on with what an earlier process has left. A kill leaves whole samples, but
// disks and hands may have changed them since: nothing is taken as it is.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/interrupt.hpp"
#include "data/groups_writer.hpp"

namespace cvf::data {
namespace {

constexpr const char* stopped = "the same command goes on";

struct Temporary {
  std::string path;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

struct Stretch {
  std::uint64_t begin, end;
};

void append(std::vector<Stretch>& all, std::uint64_t begin, std::uint64_t size) {
  if (!all.empty() && all.back().end == begin) {
    all.back().end += size;
  } else {
    all.push_back({begin, begin + size});
  }
}

}  // namespace

void GroupsWriter::go_on(const SampleJournal::Content& before) {
  if (before.plan != plan_.digest()) {
    throw DataError("{} was begun with other settings; repeat those, delete it, or choose another --out",
                    part_path_);
  }
  const Temporary fresh{path_ + ".layout"};
  lay_out(fresh.path);
  find_places(fresh.path);
  file_ = ::open(part_path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) throw DataError("{}: opening failed: {}", part_path_, std::strerror(errno));
  restore_structure(fresh.path);
  const auto sound = sound_ones(before.records);
  for (const auto& record : sound) complete_[record.sample] = 1;
  journal_.start({before.plan, sound});
}

// Equal plans are laid out to equal bytes, so all that is no piece of a sample can be written once more.
void GroupsWriter::restore_structure(const std::string& sound) {
  std::vector<Stretch> values;
  for (std::size_t sample = 0; sample < plan_.samples(); ++sample) {
    for_each_piece(sample, [&](std::uint64_t place, std::size_t size) { append(values, place, size); });
  }
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const BytesPointer from = file_bytes(sound);
  values.push_back({from->size(), from->size()});
  if (ftruncate(file_, static_cast<off_t>(from->size())) != 0)
    throw DataError("{}: setting the size failed: {}", part_path_, std::strerror(errno));
  reserve_disk();
  std::vector<char> bytes;
  std::uint64_t begin = 0;
  for (const auto& next : values) {
    interrupt::throw_if_requested(stopped);
    bytes.resize(next.begin - begin);
    from->read(begin, bytes.size(), bytes.data());
    write_at(begin, bytes.data(), bytes.size());
    begin = next.end;
  }
  if (fsync(file_) != 0) throw DataError("{}: fsync failed: {}", part_path_, std::strerror(errno));
}

std::vector<SampleRecord> GroupsWriter::sound_ones(const std::vector<SampleRecord>& records) const {
  const BytesPointer file = file_bytes(part_path_);
  std::vector<SampleRecord> out;
  for (const auto& record : records) {
    interrupt::throw_if_requested(stopped);
    if (record.sample < plan_.samples() && sum_in_file(*file, record.sample) == record.sum)
      out.push_back(record);
  }
  return out;
}

std::uint32_t GroupsWriter::sum_in_file(const Bytes& file, std::size_t sample) const {
  std::vector<std::uint32_t> sums;
  std::vector<std::byte> bytes;
  for_each_piece(sample, [&](std::uint64_t place, std::size_t size) {
    bytes.resize(size);
    file.read(place, size, bytes.data());
    sums.push_back(crc32c(bytes));
  });
  return crc32c(std::as_bytes(std::span(sums)));
}

}  // namespace cvf::data

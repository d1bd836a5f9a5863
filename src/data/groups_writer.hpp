// Writes a file of many samples from many threads, and survives being killed.
//
// The whole HDF5 structure is laid out first, with room for every frame; from then on frames go straight to
// their place in the file, HDF5 is not involved, and nothing can break the structure. A journal beside the
// file names the samples that are complete and on disk, so the same call continues after a kill. It believes
// neither of the two: the structure is laid out once more, and every sample is compared with its checksum.
// When all are there the file gets its name.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "data/bytes.hpp"
#include "data/groups_format.hpp"
#include "data/sample_journal.hpp"

namespace cvf::data {

/// A small array of a sample that is not part of the plan, e.g. "steps/time".
struct SmallArray {
  std::size_t sample;
  std::string group, name;
  std::vector<double> values;
};

/// What an unfinished file means to the next call: work to go on from, or nothing.
enum class Remains { continued, discarded };

class GroupsWriter {
 public:
  /// Begins `path`.part, or continues it when it was begun with the same plan; with another one it is a
  /// DataError. The caller holds the WriterLock of `path` when other processes may write it too.
  GroupsWriter(std::string path, GroupsPlan plan, Remains remains = Remains::continued);
  ~GroupsWriter();
  GroupsWriter(const GroupsWriter&) = delete;
  GroupsWriter& operator=(const GroupsWriter&) = delete;

  const GroupsPlan& plan() const { return plan_; }
  bool complete(std::size_t sample) const { return complete_[sample]; }
  std::size_t completed() const;

  // Each sample by one thread, different samples by any number of threads.
  void write_frame(std::size_t sample, std::size_t frame, std::span<const float> values);  // [ny, nx, C]
  void write_beside(std::size_t sample, std::size_t which, std::size_t frame, std::span<const float> values);
  void write_scalars(std::size_t sample, std::span<const double> values);  // in the plan's order
  void write_static(std::size_t sample, std::size_t which, std::span<const float> values);   // [ny, nx]
  void write_control(std::size_t sample, std::size_t which, std::span<const float> values);  // [T]
  void write_control_field(std::size_t sample, std::size_t which,
                           std::span<const float> values);  // [T, ny, nx]
  void finish_sample(std::size_t sample);

  /// Adds arrays whose length nobody could plan, beside the data of their samples. Only once everything else
  /// is written: it touches the file's structure.
  void add(std::span<const SmallArray> arrays);

  void flush();   // makes every finished sample survive a power cut
  void finish();  // all samples are complete: the file gets its name, the journal goes

  void discard();  // the unfinished file is not wanted any more

  const std::string& part_path() const { return part_path_; }

 private:
  struct Places {                       // byte offsets in the file
    std::vector<std::uint64_t> frames;  // those of the data, then those of each array beside it
    std::vector<std::uint64_t> scalars, statics, controls, control_fields;
  };
  void begin();
  void go_on(const SampleJournal::Content& before);
  void lay_out(const std::string& file) const;
  void find_places(const std::string& file);
  /// Everything of a sample that is not structure, in the order of its checksums.
  void for_each_piece(std::size_t sample,
                      const std::function<void(std::uint64_t place, std::size_t bytes)>& use) const;
  void restore_structure(const std::string& sound);
  std::vector<SampleRecord> sound_ones(const std::vector<SampleRecord>& records) const;
  std::uint32_t sum_in_file(const Bytes& file, std::size_t sample) const;
  void reserve_disk();
  void record();                                                 // needs flush_mutex_
  std::uint32_t& sum_of(std::size_t sample, std::size_t piece);  // as for_each_piece has them
  void write_at(std::uint64_t offset, const void* bytes, std::size_t count);

  std::string path_, part_path_;
  SampleJournal journal_;
  GroupsPlan plan_;
  Remains remains_;
  bool finished_ = false;
  std::vector<Places> places_;
  std::vector<char> complete_;
  std::vector<std::vector<std::uint32_t>> sums_;  // of the pieces of samples that are being written
  std::vector<SampleRecord> unrecorded_;          // finished, not yet in the journal
  std::mutex mutex_, flush_mutex_;
  std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
  int file_ = -1;
};

}  // namespace cvf::data

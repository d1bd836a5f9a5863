// Which samples of an unfinished file are complete and on disk, and what their bytes were: a line each, with
// a checksum of its own. What a bad disk or a kill made of the journal or of the file is thereby noticed, and
// the samples in question are made anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cvf::data {

struct SampleRecord {
  std::size_t sample;
  std::uint32_t sum;  // of its bytes in the file
};

class SampleJournal {
 public:
  struct Content {
    std::string plan;  // digest
    std::vector<SampleRecord> records;
  };

  explicit SampleJournal(std::string path) : path_(std::move(path)) {}
  ~SampleJournal() { close(); }
  SampleJournal(const SampleJournal&) = delete;
  SampleJournal& operator=(const SampleJournal&) = delete;

  const std::string& path() const { return path_; }

  /// What an earlier process has left, without damaged lines. Nothing when there is none, or when it does not
  /// even say which file it is about.
  std::optional<Content> read() const;

  void start(const Content& content);               // replaces what is there
  void add(std::span<const SampleRecord> records);  // they are on disk when it returns
  void remove();

 private:
  [[noreturn]] void fail(std::string_view what) const;
  void close();

  std::string path_;
  int file_ = -1;
};

}  // namespace cvf::data

// Scalars for TensorBoard: an event file, written without protobuf. Each record is one write, so a process
// that dies leaves whole records and at most a torn last one, which readers pass over.
//
// Every start makes a new file; TensorBoard reads all files of the folder in the order of their names. A
// continued run says at which step it starts, and TensorBoard then forgets what an earlier file said about
// later steps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace cvf {

class EventFile {
 public:
  /// Makes the folder if need be. `first_step` is the first step that this run will write.
  explicit EventFile(const std::string& folder, std::int64_t first_step = 0);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Named values at a step; steps must not decrease. A DataError when the file cannot be written (disk
  /// full): what was in it stays readable.
  void add(std::int64_t step, std::span<const std::pair<std::string, double>> scalars);

  const std::string& path() const { return path_; }

 private:
  void append(const std::string& event);

  std::string path_;
  int handle_ = -1;
  std::int64_t last_step_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace cvf

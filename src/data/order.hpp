// In which order training sees its rows: a pure function of (seed, epoch), the same in memory and streaming,
// for one rank or many.
//
// An epoch shuffles the trajectories, cuts them into windows, and shuffles the rows inside each window. A
// window is what a streaming reader holds at a time; when everything fits one window this is a plain global
// shuffle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cvf::data {

/// One training row: kept frames first, first + stride, first + 2 stride, ... of a sample.
struct RowId {
  std::size_t sample = 0;  // as the source numbers it
  std::size_t first = 0;
  std::size_t stride = 1;
  bool operator==(const RowId&) const = default;
};

struct OrderOptions {
  std::uint64_t seed = 0;
  std::size_t window = 1;  // trajectories in a window
  std::size_t frames_per_row = 2;
  std::vector<std::size_t> strides{1};  // each row draws one of those that fit
};

class Order {
 public:
  /// `lengths[i]` is the number of kept frames of `samples[i]`.
  Order(std::vector<std::size_t> samples, std::vector<std::size_t> lengths, OrderOptions options);

  std::size_t rows_per_epoch() const { return rows_per_epoch_; }

  struct Window {
    std::vector<std::size_t> members;  // positions in the list of samples
    std::size_t first_row = 0;         // of the epoch
    std::size_t rows = 0;
  };
  /// The windows of an epoch, in order.
  std::vector<Window> windows(std::uint64_t epoch) const;

  /// The rows of one window, shuffled.
  std::vector<RowId> rows(std::uint64_t epoch, const Window& window) const;

 private:
  std::size_t rows_of(std::size_t member) const;

  std::vector<std::size_t> samples_, lengths_;
  OrderOptions options_;
  std::size_t shortest_stride_;
  std::size_t rows_per_epoch_ = 0;
};

}  // namespace cvf::data

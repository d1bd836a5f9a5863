// Batches for training: shuffled, prefetched, sharded over ranks, resumable at any batch. In memory when the
// data fits, streaming window by window when not; the order is the same either way (order.hpp).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/config.hpp"
#include "data/order.hpp"
#include "data/source.hpp"
#include "data/splits.hpp"
#include "data/trajectories.hpp"

namespace cvf::data {

struct LoaderOptions {
  int batch = 256;                       // rows over all ranks
  std::int64_t memory_mb = 4096;         // what the loader may hold
  int window = 0;                        // trajectories shuffled together; 0 = as many as fit 256 MB
  int prefetch = 3;                      // batches made ahead
  std::vector<std::int64_t> strides{1};  // each row draws one
  int frames_per_row = 2;                // what the objective needs

  void describe(config::Section& section);
};

/// Which part of each global batch is ours.
struct Shard {
  std::size_t rank = 0, ranks = 1;
};

/// Names a batch; saved in a checkpoint.
struct Cursor {
  std::uint64_t epoch = 0, batch = 0;
  bool operator==(const Cursor&) const = default;
};

struct Batch {
  Cursor cursor;
  std::size_t rows = 0, frames = 0, frame_size = 0;
  std::vector<float> values;  // [frames, rows, (1+derivatives,) C, H, W]: frame f of all rows is one block
  std::vector<double> times;  // [frames, rows]
  std::vector<RowId> ids;     // [rows]
  std::vector<SampleContextPointer> contexts;  // [rows], null where there are none

  std::span<const float> frame(std::size_t f) const {
    return std::span(values).subspan(f * rows * frame_size, rows * frame_size);
  }
  double time(std::size_t f, std::size_t row) const { return times[f * rows + row]; }
  double dt(std::size_t row) const { return time(1, row) - time(0, row); }
};

class Loader {
 public:
  Loader(std::shared_ptr<const Source> source, std::vector<std::size_t> samples,
         DownsamplingOptions downsampling, LoaderOptions options, std::uint64_t seed, Shard shard = {},
         FrameDerivatives derivatives = {});
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The next batch; waits for it, or for `give_up` to become true: then null. Hand a batch back with
  /// `recycle` to reuse its memory.
  std::unique_ptr<Batch> next(const std::function<bool()>& give_up = {});
  void recycle(std::unique_ptr<Batch> batch);

  void seek(Cursor cursor);
  Cursor cursor() const { return cursor_; }  // of the batch that next() will give
  std::size_t batches_per_epoch() const { return batches_per_epoch_; }
  std::size_t rows_per_epoch() const { return order_->rows_per_epoch(); }
  bool in_memory() const { return in_memory_; }
  double seconds_waited() const { return seconds_waited_; }  // in next(), since construction

 private:
  struct LoadedWindow {
    std::vector<RowId> rows;
    std::map<std::size_t, std::shared_ptr<const Trajectory>> trajectories;  // by sample
  };
  using WindowFuture = std::shared_future<std::shared_ptr<const LoadedWindow>>;

  void plan(std::vector<std::size_t> samples, FrameDerivatives derivatives);
  void start(Cursor cursor);
  void stop();
  void produce(Cursor cursor);                     // the background thread
  std::unique_ptr<Batch> assemble(Cursor cursor);  // on the background thread
  void copy_row(Batch& batch, std::size_t row, const LoadedWindow& window, const RowId& id) const;
  const std::vector<Order::Window>& windows_of(std::uint64_t epoch);
  WindowFuture window(std::uint64_t epoch, std::size_t index);
  void drop_windows_before(std::uint64_t epoch, std::size_t index);
  std::unique_ptr<Batch> blank_batch();

  std::shared_ptr<const Source> source_;
  LoaderOptions options_;
  std::uint64_t seed_;
  Shard shard_;
  DownsamplingOptions downsampling_;
  std::unique_ptr<Trajectories> trajectories_;
  std::unique_ptr<Order> order_;
  std::size_t batches_per_epoch_ = 0;
  bool in_memory_ = false;
  Cursor cursor_;
  double seconds_waited_ = 0;

  // Owned by the background thread while it runs.
  std::map<std::uint64_t, std::vector<Order::Window>> plans_;
  std::map<std::pair<std::uint64_t, std::size_t>, WindowFuture> loaded_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Batch>> ready_, spare_;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::atomic<bool> hurry_ = false;  // nobody waits any more for a window that is being read
  std::thread producer_;
};

}  // namespace cvf::data

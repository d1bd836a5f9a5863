#include "data/loader.hpp"

#include <algorithm>
#include <chrono>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::data {
namespace {

constexpr std::size_t default_window_bytes = std::size_t{256} << 20;
constexpr std::size_t windows_held = 2;  // streaming holds the window in use and the one being read

Cursor after(Cursor cursor, std::size_t batches_per_epoch) {
  return cursor.batch + 1 < batches_per_epoch ? Cursor{cursor.epoch, cursor.batch + 1}
                                              : Cursor{cursor.epoch + 1, 0};
}

}  // namespace

void LoaderOptions::describe(config::Section& s) {
  s.key("batch", &batch, "rows in a batch, over all ranks", config::at_least(1));
  s.key("memory_mb", &memory_mb, "megabytes that the loader may hold; more data than that is streamed",
        config::at_least(1));
  s.key("window", &window, "trajectories shuffled together (0 = as many as fit 256 MB); decides the order",
        config::at_least(0));
  s.key("prefetch", &prefetch, "batches made ahead", config::at_least(1));
  s.key("strides", &strides, "each row draws its stride in kept frames from these", config::at_least(1));
}

Loader::Loader(std::shared_ptr<const Source> source, std::vector<std::size_t> samples,
               DownsamplingOptions downsampling, LoaderOptions options, std::uint64_t seed, Shard shard,
               FrameDerivatives derivatives)
    : source_(std::move(source)),
      options_(std::move(options)),
      seed_(seed),
      shard_(shard),
      downsampling_(downsampling) {
  const auto batch = static_cast<std::size_t>(options_.batch);
  if (batch % shard_.ranks != 0) {
    throw ConfigError("loader.batch = {} must be a multiple of the number of ranks, {}", batch, shard_.ranks);
  }
  plan(std::move(samples), std::move(derivatives));
  batches_per_epoch_ = order_->rows_per_epoch() / batch;
  if (batches_per_epoch_ == 0) {
    throw ConfigError(
        "loader.batch = {} is more than the {} rows of the training data ({}); take a smaller batch", batch,
        order_->rows_per_epoch(), source_->description().file);
  }
  start({});
}

Loader::~Loader() {
  stop();
}

void Loader::plan(std::vector<std::size_t> samples, FrameDerivatives derivatives) {
  Trajectories sizes(source_, downsampling_, seed_, false, derivatives);
  std::vector<std::size_t> lengths;
  std::size_t total = 0, largest = 1;
  for (const std::size_t sample : samples) {
    lengths.push_back(sizes.kept_frames(sample));
    const std::size_t bytes = sizes.bytes(sample);
    total += bytes;
    largest = std::max(largest, bytes);
  }
  auto window = static_cast<std::size_t>(options_.window);
  if (window == 0) window = std::max<std::size_t>(1, default_window_bytes / largest);
  window = std::min(window, std::max<std::size_t>(1, samples.size()));

  const std::size_t cap = static_cast<std::size_t>(options_.memory_mb) * 1'000'000;
  in_memory_ = total <= cap;
  if (!in_memory_ && windows_held * window * largest > cap) {
    throw ConfigError(
        "loader: {} windows of {} trajectories ({}) do not fit memory_mb = {}; set loader.window = {} or "
        "raise memory_mb",
        windows_held, window, text::bytes(windows_held * window * largest), options_.memory_mb,
        std::max<std::size_t>(1, cap / (windows_held * largest)));
  }
  trajectories_ =
      std::make_unique<Trajectories>(source_, downsampling_, seed_, in_memory_, std::move(derivatives));
  OrderOptions order{seed_, window, static_cast<std::size_t>(options_.frames_per_row), {}};
  order.strides.assign(options_.strides.begin(), options_.strides.end());
  order_ = std::make_unique<Order>(std::move(samples), std::move(lengths), order);
}

// ---- the consumer's side

std::unique_ptr<Batch> Loader::next(const std::function<bool()>& give_up) {
  constexpr std::chrono::milliseconds look_every{100};
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const auto arrived = [this] { return !ready_.empty() || failure_; };
  while (!changed_.wait_for(lock, look_every, arrived)) {
    if (give_up && give_up()) return nullptr;
  }
  seconds_waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (ready_.empty()) std::rethrow_exception(failure_);
  auto batch = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  cursor_ = after(batch->cursor, batches_per_epoch_);
  return batch;
}

void Loader::recycle(std::unique_ptr<Batch> batch) {
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(batch));
}

void Loader::seek(Cursor cursor) {
  if (cursor.batch >= batches_per_epoch_) {
    throw DataError(
        "loader: batch {} of an epoch of {} batches cannot be resumed: the data or the batch size changed",
        cursor.batch, batches_per_epoch_);
  }
  stop();
  start(cursor);
}

void Loader::start(Cursor cursor) {
  cursor_ = cursor;
  stopping_ = false;
  failure_ = nullptr;
  ready_.clear();
  producer_ = std::thread([this, cursor] { produce(cursor); });
}

void Loader::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  hurry_ = true;
  changed_.notify_all();
  if (producer_.joinable()) producer_.join();
  loaded_.clear();  // waits for a window that is still being read
  plans_.clear();
  hurry_ = false;
}

// ---- the background thread

void Loader::produce(Cursor cursor) {
  try {
    for (;; cursor = after(cursor, batches_per_epoch_)) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] {
          return stopping_ || ready_.size() < static_cast<std::size_t>(options_.prefetch);
        });
        if (stopping_) return;
      }
      auto batch = assemble(cursor);
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

std::unique_ptr<Batch> Loader::assemble(Cursor cursor) {
  const auto global = static_cast<std::size_t>(options_.batch);
  const std::size_t ours = global / shard_.ranks;
  const std::size_t first = cursor.batch * global + shard_.rank * ours;
  const auto& windows = windows_of(cursor.epoch);

  auto batch = blank_batch();
  batch->cursor = cursor;
  // The window of the first row; later rows may lie in the windows that follow.
  auto at = static_cast<std::size_t>(
      std::upper_bound(windows.begin(), windows.end(), first,
                       [](std::size_t row, const Order::Window& w) { return row < w.first_row + w.rows; }) -
      windows.begin());
  for (std::size_t row = 0; row < ours; ++at) {
    drop_windows_before(cursor.epoch, at);
    const std::shared_ptr<const LoadedWindow> loaded = window(cursor.epoch, at).get();
    const std::size_t end = std::min(ours, windows[at].first_row + windows[at].rows - first);
    for (; row < end; ++row)
      copy_row(*batch, row, *loaded, loaded->rows[first + row - windows[at].first_row]);
  }
  return batch;
}

void Loader::copy_row(Batch& batch, std::size_t row, const LoadedWindow& window, const RowId& id) const {
  const Trajectory& trajectory = *window.trajectories.at(id.sample);
  batch.ids[row] = id;
  batch.contexts[row] = trajectory.context;
  for (std::size_t f = 0; f < batch.frames; ++f) {
    const std::size_t frame = id.first + f * id.stride;
    batch.times[f * batch.rows + row] = trajectory.times[frame];
    std::copy_n(&trajectory.values[frame * batch.frame_size], batch.frame_size,
                &batch.values[(f * batch.rows + row) * batch.frame_size]);
  }
}

const std::vector<Order::Window>& Loader::windows_of(std::uint64_t epoch) {
  auto found = plans_.find(epoch);
  if (found == plans_.end()) found = plans_.emplace(epoch, order_->windows(epoch)).first;
  while (plans_.size() > 2) plans_.erase(plans_.begin());
  return plans_.at(epoch);
}

// The window asked for is read now if it was not begun before; the one behind it is begun in the background.
Loader::WindowFuture Loader::window(std::uint64_t epoch, std::size_t index) {
  const auto begin = [this](std::uint64_t e, std::size_t i) {
    if (loaded_.contains({e, i})) return;
    const Order::Window planned = windows_of(e)[i];
    loaded_[{e, i}] = std::async(std::launch::async, [this, e, planned] {
                        auto out = std::make_shared<LoadedWindow>();
                        out->rows = order_->rows(e, planned);
                        for (const auto& row : out->rows) {
                          if (hurry_) throw Interrupted("a window that nobody waits for any more");
                          auto& place = out->trajectories[row.sample];
                          if (!place) place = trajectories_->get(row.sample);
                        }
                        return std::shared_ptr<const LoadedWindow>(out);
                      }).share();
  };
  const bool fresh = !loaded_.contains({epoch, index});
  begin(epoch, index);
  auto wanted = loaded_.at({epoch, index});
  if (fresh || loaded_.rbegin()->first == std::pair{epoch, index}) {
    wanted.wait();
    if (index + 1 < windows_of(epoch).size()) {
      begin(epoch, index + 1);
    } else {
      begin(epoch + 1, 0);
    }
  }
  return wanted;
}

void Loader::drop_windows_before(std::uint64_t epoch, std::size_t index) {
  loaded_.erase(loaded_.begin(), loaded_.lower_bound({epoch, index}));
}

std::unique_ptr<Batch> Loader::blank_batch() {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      auto batch = std::move(spare_.front());
      spare_.pop_front();
      return batch;
    }
  }
  auto batch = std::make_unique<Batch>();
  batch->rows = static_cast<std::size_t>(options_.batch) / shard_.ranks;
  batch->frames = static_cast<std::size_t>(options_.frames_per_row);
  batch->frame_size = trajectories_->stored_size();
  batch->values.resize(batch->frames * batch->rows * batch->frame_size);
  batch->times.resize(batch->frames * batch->rows);
  batch->ids.resize(batch->rows);
  batch->contexts.resize(batch->rows);
  return batch;
}

}  // namespace cvf::data

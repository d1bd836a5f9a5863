// Opened samples of a file with one dataset each: opening costs far more than reading a frame, but thousands
// of open datasets with their chunk caches cost memory without bound. So the most recently used stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "data/view.hpp"

namespace cvf::data::layouts {

class SampleCache {
 public:
  /// `open` also tells how many bytes the open sample may hold.
  using Open = std::function<View(std::size_t sample, std::size_t* bytes)>;
  explicit SampleCache(Open open) : open_(std::move(open)) {}

  /// Safe from any thread; a view in use survives its eviction.
  std::shared_ptr<const View> get(std::size_t sample) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(sample); found != places_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return recent_.front().second;
    }
    std::size_t bytes = 0;
    recent_.emplace_front(sample, std::make_shared<const View>(open_(sample, &bytes)));
    places_[sample] = recent_.begin();
    const std::size_t room = std::clamp<std::size_t>(most_bytes / (bytes + sieve_bytes), 4, most_samples);
    while (recent_.size() > room) {
      places_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return recent_.front().second;
  }

 private:
  static constexpr std::size_t most_samples = 1024;
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;
  static constexpr std::size_t sieve_bytes = 64 << 10;  // what libhdf5 buffers for each contiguous dataset

  using Entry = std::pair<std::size_t, std::shared_ptr<const View>>;
  Open open_;
  mutable std::mutex mutex_;
  mutable std::list<Entry> recent_;  // most recent first
  mutable std::unordered_map<std::size_t, std::list<Entry>::iterator> places_;
};

}  // namespace cvf::data::layouts

#include "data/order.hpp"

#include <algorithm>
#include <numeric>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::data {

Order::Order(std::vector<std::size_t> samples, std::vector<std::size_t> lengths, OrderOptions options)
    : samples_(std::move(samples)), lengths_(std::move(lengths)), options_(std::move(options)) {
  if (options_.strides.empty()) throw ConfigError("loader: strides must name at least one stride");
  if (options_.frames_per_row < 2) throw ConfigError("loader: a row needs at least 2 frames");
  shortest_stride_ = *std::min_element(options_.strides.begin(), options_.strides.end());
  if (shortest_stride_ == 0) throw ConfigError("loader: a stride must be at least 1");
  options_.window = std::max<std::size_t>(1, options_.window);
  for (std::size_t member = 0; member < samples_.size(); ++member) rows_per_epoch_ += rows_of(member);
}

std::size_t Order::rows_of(std::size_t member) const {
  const std::size_t reach = (options_.frames_per_row - 1) * shortest_stride_;
  return lengths_[member] > reach ? lengths_[member] - reach : 0;
}

std::vector<Order::Window> Order::windows(std::uint64_t epoch) const {
  std::vector<std::size_t> members(samples_.size());
  std::iota(members.begin(), members.end(), std::size_t{0});
  RandomStream(options_.seed, "data.order.samples", epoch).shuffle(members);

  std::vector<Window> all;
  std::size_t first_row = 0;
  for (std::size_t begin = 0; begin < members.size(); begin += options_.window) {
    const std::size_t end = std::min(members.size(), begin + options_.window);
    Window window{{members.begin() + static_cast<std::ptrdiff_t>(begin),
                   members.begin() + static_cast<std::ptrdiff_t>(end)},
                  first_row,
                  0};
    for (const std::size_t member : window.members) window.rows += rows_of(member);
    first_row += window.rows;
    all.push_back(std::move(window));
  }
  return all;
}

std::vector<RowId> Order::rows(std::uint64_t epoch, const Window& window) const {
  // The window is named by its first row, so that its stream does not depend on how it was reached.
  RandomStream stream(options_.seed, "data.order.rows", epoch << 40 ^ window.first_row);
  std::vector<RowId> out;
  out.reserve(window.rows);
  std::vector<std::size_t> fitting;
  for (const std::size_t member : window.members) {
    for (std::size_t first = 0; first < rows_of(member); ++first) {
      fitting.clear();
      for (const std::size_t stride : options_.strides) {
        if (first + (options_.frames_per_row - 1) * stride < lengths_[member]) fitting.push_back(stride);
      }
      const std::size_t pick = fitting.size() == 1 ? 0 : stream.below(fitting.size());
      out.push_back({samples_[member], first, fitting[pick]});
    }
  }
  stream.shuffle(out);
  return out;
}

}  // namespace cvf::data

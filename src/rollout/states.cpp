#include "rollout/states.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cvf::rollout {
namespace {

std::size_t count_of(std::span<const std::int64_t> sizes) {
  return static_cast<std::size_t>(
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()));
}

}  // namespace

StateArray StateArray::operator[](std::size_t i) const {
  StateArray out = part(i, 1);
  out.leading.erase(out.leading.begin());
  return out;
}

StateArray StateArray::part(std::size_t first, std::size_t count) const {
  StateArray out = *this;
  out.leading.at(0) = static_cast<std::int64_t>(count);
  const std::size_t each = count_of(std::span(leading).subspan(1));
  out.rows = rows->narrow(first * each, count * each);
  return out;
}

StateArray nowhere(Sizes leading, const StateArray& like) {
  StateArray out{std::move(leading), like.state, nullptr};
  out.rows = like.rows->empty(count_of(out.leading));
  out.visit([](auto values) { std::fill(values.begin(), values.end(), NAN); });
  return out;
}

}  // namespace cvf::rollout

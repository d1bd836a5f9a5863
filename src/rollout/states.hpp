// States in physical units, as the protocols take them and give them back: plain memory of the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/states.hpp"

namespace cvf::rollout {

using solvers::Batch;
using Sizes = std::vector<std::int64_t>;

/// [...,C,ny,nx], or [...,C] of vectors; float or double.
struct StateArray {
  Sizes leading = {};    // before the channel: none (a single state), {B} or {B,T}
  Sizes state = {};      // of one state: {C,ny,nx} or {C}
  Batch rows = nullptr;  // one for each state; null: there are none

  bool defined() const { return rows != nullptr; }
  bool is_vector() const { return state.size() == 1; }
  std::size_t size() const { return static_cast<std::size_t>(leading.at(0)); }  // along the first axis

  /// The i-th along the first axis, or some of them; in the same memory.
  StateArray operator[](std::size_t i) const;
  StateArray part(std::size_t first, std::size_t count) const;

  /// Calls `work` with a span of all values, of float or of double.
  template <class Work>
  auto visit(Work&& work) const {
    const std::size_t count = rows->rows() * rows->values();
    return rows->type() == solvers::States::Type::float64 ? work(std::span(rows->data<double>(), count))
                                                          : work(std::span(rows->data<float>(), count));
  }
};

/// NaN everywhere, in the type of `like` and of as large states.
StateArray nowhere(Sizes leading, const StateArray& like);

}  // namespace cvf::rollout

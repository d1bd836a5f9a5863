// The contexts of some samples in plain memory, in the units in which the network sees them.
#pragma once

#include <span>
#include <vector>

#include "runtime/model.hpp"

namespace cvf::runtime {

class Contexts {
 public:
  Contexts() = default;
  /// One for each of `rows` states, or one for all. Empty where the model takes none; a DataError or
  /// UsageError says what is missing or does not fit.
  Contexts(const Model& model, std::vector<SampleContextPointer> samples, std::size_t rows);

  bool empty() const { return samples_.empty(); }
  const SampleContext& of(std::size_t sample) const { return *samples_[one_for_all_ ? 0 : sample]; }

  /// A DataError unless the controls of a sample are known from `from` to `to`.
  void check_covers(std::size_t sample, double from, double to) const;

  /// Of the samples with these numbers, over the steps from `begin` on: [rows, conditions], and [rows,
  /// fields, cells], in the model's precision.
  template <class T>
  struct Seen {
    std::vector<T> conditions, beside;
  };
  template <class T>
  Seen<T> over(std::span<const std::int64_t> samples, std::span<const double> begin,
               std::span<const double> dt) const;

 private:
  model::ContextSpec spec_;
  std::vector<SampleContextPointer> samples_;
  bool one_for_all_ = false;
  std::size_t cells_ = 1;
};

}  // namespace cvf::runtime

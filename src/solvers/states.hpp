// States of many rows [rows, values] and the arithmetic of a step on them, wherever they are: the small
// interface that the solvers are written over. Plain memory of the host is worked on by fused loops
// (parts/loops); who keeps states elsewhere derives a class (tensors/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/parts/loops.hpp"

namespace cvf::solvers {

class States;
using Batch = std::shared_ptr<States>;  // shared as a tensor is: copies see the same values
using Batches = std::span<const Batch>;
using Numbers = std::vector<double>;

struct ErrorScale {
  double absolute, relative;
  const States &a, &b;  // atol + rtol max(|a|, |b|)
};

class States {
 public:
  enum class Type { float32, float64, other };

  virtual ~States() = default;
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  std::size_t rows() const { return extent_.rows; }
  std::size_t values() const { return extent_.values; }  // of one row
  Type type() const { return type_; }
  /// Whether the values lie one after the other in memory of the host, as float or double.
  bool plain() const { return data_ != nullptr; }
  template <class T>
  T* data() const {
    return static_cast<T*>(data_);
  }

  /// New ones of the same kind, with no values yet.
  virtual Batch empty(std::size_t rows) const = 0;
  /// The rows [first, first + count), in the same memory.
  virtual Batch narrow(std::size_t first, std::size_t count) const = 0;

  /// this[r] = base[r] + scale[r] sum_j weights_j k_j[r]. Zero weights are left out.
  virtual void combine(const States& base, std::span<const double> scale, Batches k,
                       std::span<const double> weights);
  /// For each row: 1 if all its values are finite, else 0.
  virtual std::vector<char> finite_rows() const;
  virtual void copy_row(std::size_t to, const States& from, std::size_t row);
  /// For each row of k: the sum (or the largest) over its values of (sum_j weights_j k_j / scale)^2; without
  /// a scale, of the weighted sum itself. This is the first of k.
  virtual Numbers row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale,
                              loops::Reduce reduce) const;

 protected:
  States(loops::Extent extent, Type type, void* data) : extent_(extent), type_(type), data_(data) {}

 private:
  loops::Extent extent_;
  Type type_;
  void* data_;
};

Numbers row_squares(Batches k, std::span<const double> weights, const ErrorScale* scale = nullptr,
                    loops::Reduce reduce = loops::Reduce::sum);

/// The rows with these numbers, in memory of their own.
Batch take_rows(const States& from, std::span<const std::size_t> rows);
/// Only these rows, in rising order, stay; in the same memory.
void keep_rows(Batch& states, std::span<const std::size_t> rows);

/// Plain memory of the host.
template <class T>
Batch host_states(std::size_t rows, std::size_t values);
/// Memory of somebody else, who keeps it as long as the states are used.
template <class T>
Batch host_states(T* data, std::size_t rows, std::size_t values);

}  // namespace cvf::solvers

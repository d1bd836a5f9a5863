// A trained velocity field in plain memory: psi(state, context, dt), forward only, in model units. A network
// never changes after it was made; every call brings its own workspace, so any number of threads may call.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/registry.hpp"
#include "fields/networks.hpp"
#include "runtime/weights.hpp"

namespace cvf::runtime {

/// Of float, which the CPU kernels compute, or of double.
template <class T>
struct QueryOf {
  std::int64_t rows;
  const T* state;                 // [rows, channels, cells]
  std::span<const double> dt;     // one for each row; empty: 0, the tangents
  const T* conditions = nullptr;  // [rows, conditions of the shape]
  const T* beside = nullptr;      // [rows, fields beside the state, cells]
};
using Query = QueryOf<float>;

template <class T>
class NetworkOf {
 public:
  virtual ~NetworkOf() = default;
  /// psi [rows, channels, cells], by as many threads. A row's answer depends neither on the others nor on the
  /// number of threads.
  virtual void forward(const QueryOf<T>& query, T* psi, int threads) const = 0;

  /// Floating-point operations of one evaluation of one state (a multiply-add counts two).
  virtual double flops() const = 0;

  /// Whether states on other grids than the one it was made for are taken, too.
  virtual bool any_grid() const { return false; }
  /// The same weights on such a grid; only where any_grid().
  virtual std::shared_ptr<const NetworkOf> on_grid(std::int64_t /*height*/, std::int64_t /*width*/) const {
    return nullptr;
  }
};

using Network = NetworkOf<float>;
template <class T>
using NetworkPointerOf = std::shared_ptr<const NetworkOf<T>>;
using NetworkPointer = NetworkPointerOf<float>;

/// Described as the fields of tensors are, from the same options.
class Settings : public SettingsOf<NetworkPointer, const fields::StateShape&, const Weights&> {
 public:
  virtual double values(const fields::StateShape& shape) const = 0;
  virtual std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const = 0;
  virtual bool conditioned() const = 0;
  /// `build` in double precision.
  virtual NetworkPointerOf<double> build_double(const fields::StateShape& shape,
                                                const WeightsOf<double>& weights) const = 0;
  /// That the kernels' plans must have a place for.
  virtual std::size_t blocks() const = 0;
};

struct Row {
  static constexpr std::string_view kind = "field";
  std::string_view name;
  std::unique_ptr<Settings> (*settings)();
};

/// Every network (registry.cpp).
std::span<const Row> registry();
using Choice = cvf::Choice<registry>;

}  // namespace cvf::runtime

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

struct Query {
  std::int64_t rows;
  const float* state;                 // [rows, channels, cells]
  std::span<const double> dt;         // one for each row; empty: 0, the tangents
  const float* conditions = nullptr;  // [rows, conditions of the shape]
  const float* beside = nullptr;      // [rows, fields beside the state, cells]
};

class Network {
 public:
  virtual ~Network() = default;
  /// psi [rows, channels, cells], by as many threads. A row's answer depends neither on the others nor on the
  /// number of threads.
  virtual void forward(const Query& query, float* psi, int threads) const = 0;

  /// Floating-point operations of one evaluation of one state (a multiply-add counts two).
  virtual double flops() const = 0;

  /// Whether states on other grids than the one it was made for are taken, too.
  virtual bool any_grid() const { return false; }
  /// The same weights on such a grid; only where any_grid().
  virtual std::shared_ptr<const Network> on_grid(std::int64_t /*height*/, std::int64_t /*width*/) const {
    return nullptr;
  }
};

using NetworkPointer = std::shared_ptr<const Network>;

/// Described as the fields of tensors are, from the same options.
class Settings : public SettingsOf<NetworkPointer, const fields::StateShape&, const Weights&> {
 public:
  virtual double values(const fields::StateShape& shape) const = 0;
  virtual std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const = 0;
  virtual bool conditioned() const = 0;
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

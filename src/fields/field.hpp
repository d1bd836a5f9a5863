// The noun in the middle: a velocity field psi(state, context, dt) -> mean velocity over dt, in model units.
// dt = 0 is the tangent, negative dt looks back.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/registry.hpp"
#include "core/torch.hpp"
#include "fields/context.hpp"
#include "fields/networks.hpp"

namespace cvf::fields {

class VelocityField : public torch::nn::Module {
 public:
  explicit VelocityField(const StateShape& shape) : shape_(shape) {}

  /// state [B,C,H,W] or [B,C], dt [B] and what the context of the shape has -> psi, shaped as the state
  virtual torch::Tensor forward(const Query& query) = 0;
  /// Of a field without context.
  torch::Tensor forward(const torch::Tensor& state, const torch::Tensor& dt) { return forward({state, dt}); }

  /// Whether psi depends on dt; a tangent field does not.
  virtual bool conditioned() const { return true; }

  /// Whether states on other grids than the one it was made for are taken, too.
  virtual bool any_grid() const { return false; }

  /// Floating-point operations of one evaluation of one sample (a multiply-add counts two).
  virtual double flops() const = 0;

  /// About the bytes that so many evaluations of a training step hold until its gradient is known.
  virtual double training_bytes(double /*evaluations*/) const { return 0; }

  /// The largest batch, with so many evaluations of each row, that fits the activation budget; more rows are
  /// better taken in micro-batches. 0: any number.
  virtual std::int64_t micro_batch_rows(double /*evaluations*/) const { return 0; }

  /// Fields of one kind that were trained together (fields/members.hpp): one is its own member.
  virtual std::int64_t member_count() const { return 1; }
  virtual VelocityField& member(std::int64_t /*index*/) { return *this; }

  const StateShape& shape() const { return shape_; }
  /// Whether a batch of states of these sizes can be shown.
  bool takes(c10::IntArrayRef sizes) const;
  std::int64_t parameter_count() const;

 protected:
  /// Refuses a state, a step or a context of another shape with a sentence that names both.
  void check(const Query& query) const;
  /// The channels of the state and, behind them, what the field sees beside it in each cell.
  static torch::Tensor with_beside(const Query& query);

 private:
  void check_context(const Context& context, std::int64_t rows) const;

  StateShape shape_;
};

using FieldPointer = std::shared_ptr<VelocityField>;

/// Described for TOML, then built for a state. Weights are drawn from the seed's stream of their own name, so
/// they do not depend on the order of construction.
class Settings : public SettingsOf<FieldPointer, const StateShape&, std::uint64_t> {
 public:
  /// How many numbers `build` would make room for, parameters and buffers: a size that is known beforehand
  /// can be refused.
  virtual double values(const StateShape& shape) const = 0;
};

struct Row {
  static constexpr std::string_view kind = "field";
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Settings> (*settings)();
};

/// Every velocity field (field.cpp).
std::span<const Row> registry();
using Choice = cvf::Choice<registry>;

/// "sit for 2x64x64: 812 576 parameters, 0.54 GFLOP an evaluation", for `cvf explain field` and logs.
std::string summary(std::string_view name, const VelocityField& field);

/// For a field type with a (StateShape, Options, seed) constructor and a static values(StateShape, Options).
template <class Type>
std::unique_ptr<Settings> settings_of() {
  struct Concrete : OptionsOf<Type, Settings> {
    double values(const StateShape& shape) const override { return Type::values(shape, this->options); }
  };
  return std::make_unique<Concrete>();
}

}  // namespace cvf::fields

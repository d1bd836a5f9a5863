// The networks of the fields room as graphs of operators, psi(state, dt, context) in model units; and the
// whole graph around one.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/registry.hpp"
#include "fields/networks.hpp"
#include "model/spec_of.hpp"
#include "onnx/layers.hpp"
#include "runtime/units.hpp"

namespace cvf::onnx {

struct Query {
  Value state;            // [rows, channels and fields beside them, ...grid]
  Value dt;               // [rows]
  Value conditions = {};  // [rows, conditions of the shape]; empty: none
};

class Network {
 public:
  virtual ~Network() = default;
  /// psi [rows, channels, ...grid]
  virtual Value draw(Pen& pen, const Query& query) const = 0;
  /// Whether the graph takes any number of cells along an axis, "y" or "x".
  virtual bool any_size(std::string_view /*axis*/) const { return false; }
};

/// Described as the fields of tensors are, from the same options.
class Settings : public SettingsOf<std::unique_ptr<Network>, const fields::StateShape&> {
 public:
  virtual double values(const fields::StateShape& shape) const = 0;
  virtual std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const = 0;
};

struct Row {
  static constexpr std::string_view kind = "field";
  std::string_view name;
  std::unique_ptr<Settings> (*settings)();
};

/// Every network (networks.cpp).
std::span<const Row> registry();
using Choice = cvf::Choice<registry>;

class Conv : public Network {
 public:
  using Options = fields::ConvOptions;
  Conv(const fields::StateShape& shape, const Options& options)
      : shape_(shape), options_(options), size_(options.size(shape)) {}
  Value draw(Pen& pen, const Query& query) const override;
  bool any_size(std::string_view axis) const override;

 private:
  Value layer(Pen& pen, const Value& x, const std::string& name, std::int64_t in, std::int64_t out,
              std::int64_t dilation) const;
  Value mixed(Pen& pen, const Value& x, const std::string& name) const;
  Value padded(Graph& graph, Value x, std::int64_t reach) const;
  Value cells_of(Graph& graph, const Value& state) const;
  Value pixels_of(Graph& graph, const Value& cells) const;
  std::vector<float> lift_weight(const float* from) const;

  fields::StateShape shape_;
  Options options_;
  kernels::ConvSize size_;
};

class Sit : public Network {
 public:
  using Options = fields::SitOptions;
  Sit(const fields::StateShape& shape, const Options& options)
      : shape_(shape), options_(options), size_(options.size(shape)) {}
  Value draw(Pen& pen, const Query& query) const override;

 private:
  Value attention(Pen& pen, const Value& x, const std::string& block) const;

  fields::StateShape shape_;
  Options options_;
  kernels::SitSize size_;
};

class Mlp : public Network {
 public:
  using Options = fields::MlpOptions;
  Mlp(const fields::StateShape& shape, const Options& options) : shape_(shape), options_(options) {}
  Value draw(Pen& pen, const Query& query) const override;

 private:
  fields::StateShape shape_;
  Options options_;
};

// The graph around a network: physical units in and out, the context as inputs, the step as an output.

using Spec = model::SpecOf<Choice>;

/// Before the names of the tensors of a member; empty for a model of one.
std::string member_prefix(const Spec& spec, int member);

/// Inputs state, dt and what the model knows of parameters, static, controls and control_fields; outputs
/// velocity (the mean of all members) and next = state + dt * velocity.
Graph draw(const Spec& spec, const Network& network, const runtime::Units& units,
           const runtime::Weights& weights);

}  // namespace cvf::onnx

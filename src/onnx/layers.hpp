// What the networks are made of, as operators: linear layers and convolutions of a model's weights, norms,
// activations, and how a network learns about its step and its conditions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "onnx/graph.hpp"
#include "runtime/weights.hpp"

namespace cvf::onnx {

/// One layer of those that modulate: its results are parts of `width` values, and where `plus_one` says so a
/// part is used as 1 + part, which the exported bias has in it.
struct Modulating {
  std::string layer;
  std::vector<bool> plus_one;
};

/// Draws the layers of one network into a graph; `prefix` stands before the names of its tensors
/// ("members.2.").
class Pen {
 public:
  Pen(Graph& on, const runtime::Weights& weights, std::string prefix)
      : graph(on), weights_(&weights), prefix_(std::move(prefix)) {}

  Graph& graph;

  const float* at(const std::string& name) const { return weights_->at(prefix_ + name); }
  Value constant(const std::string& name, std::span<const float> values, const Ints& sizes) {
    return graph.floats(prefix_ + name, values, sizes);
  }

  /// Rows [rows, in] -> [rows, out].
  Value rows(const Value& x, const std::string& layer, std::int64_t in, std::int64_t out);
  /// Tokens [rows, tokens, in] -> [rows, tokens, out]. `factor` multiplies the results with these numbers.
  Value tokens(const Value& x, const std::string& layer, std::int64_t in, std::int64_t out,
               const std::function<double(std::int64_t out)>& factor = {});

  /// No affine part of its own: norm(x) * scale + shift over the last axis.
  Value modulated_norm(const Value& x, std::int64_t width, const Value& shift, const Value& scale);

  /// The modulation of a network for each row: `spread` are the sides to which its numbers are reshaped, with
  /// -1 for all of them; the parts are cut along that axis.
  struct Step {
    std::int64_t width;  // of the embedding
    double dt_ref;
    bool conditioned;         // false: the network does not see dt
    std::int64_t conditions;  // of the context
  };
  std::vector<Value> modulation(const Step& step, const Value& dt, const Value& conditions,
                                const std::vector<Modulating>& layers, std::int64_t part_width,
                                const Ints& spread);

 private:
  Value embedding(const Step& step, const Value& dt, const Value& conditions);

  const runtime::Weights* weights_;
  std::string prefix_;
};

Value silu(Graph& graph, const Value& x);
Value gelu(Graph& graph, const Value& x);  // the tanh form

}  // namespace cvf::onnx

#include "onnx/layers.hpp"

#include <algorithm>

namespace cvf::onnx {
namespace {

std::size_t size(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

}  // namespace

Value silu(Graph& graph, const Value& x) {
  return graph.add("Mul", {x, graph.add("Sigmoid", {x})});
}

Value gelu(Graph& graph, const Value& x) {
  return graph.add("Gelu", {x}, {{"approximate", std::string("tanh")}});
}

Value Pen::rows(const Value& x, const std::string& layer, std::int64_t in, std::int64_t out) {
  const Value weight = constant(layer + ".weight", {at(layer + ".weight"), size(in * out)}, {out, in});
  const Value bias = constant(layer + ".bias", {at(layer + ".bias"), size(out)}, {out});
  return graph.add("Gemm", {x, weight, bias}, {{"transB", 1}});
}

Value Pen::tokens(const Value& x, const std::string& layer, std::int64_t in, std::int64_t out,
                  const std::function<double(std::int64_t)>& factor) {
  const float *from = at(layer + ".weight"), *added = at(layer + ".bias");
  std::vector<float> weight(size(in * out)), bias(size(out));  // MatMul takes [in, out]
  for (std::int64_t o = 0; o < out; ++o) {
    const double by = factor ? factor(o) : 1;
    for (std::int64_t i = 0; i < in; ++i)
      weight[size(i * out + o)] = static_cast<float>(static_cast<double>(from[o * in + i]) * by);
    bias[size(o)] = static_cast<float>(static_cast<double>(added[o]) * by);
  }
  const Value product = graph.add("MatMul", {x, constant(layer + ".weight", weight, {in, out})});
  return graph.add("Add", {product, constant(layer + ".bias", bias, {out})});
}

Value Pen::modulated_norm(const Value& x, std::int64_t width, const Value& shift, const Value& scale) {
  const std::vector<float> ones(size(width), 1);
  const Value norm = graph.add("LayerNormalization", {x, constant("ones", ones, {width})},
                               {{"axis", -1}, {"epsilon", 1e-6F}});
  return graph.add("Add", {graph.add("Mul", {norm, scale}), shift});
}

Value Pen::embedding(const Step& step, const Value& dt, const Value& conditions) {
  constexpr auto waves = fields::step_waves;
  std::vector<float> frequencies(size(waves));  // of dt itself; 0: every step looks like one of length 0
  for (std::int64_t i = 0; i < waves && step.conditioned; ++i)
    frequencies[size(i)] = static_cast<float>(static_cast<double>(at("step.frequencies")[i]) / step.dt_ref);
  const Value column = graph.add("Unsqueeze", {dt, graph.integers({1})});
  const Value angles = graph.add("Mul", {column, constant("step.frequencies", frequencies, {1, waves})});
  const Value cosines = graph.add("Cos", {angles}), sines = graph.add("Sin", {angles});
  Value hidden =
      rows(graph.add("Concat", {cosines, sines}, {{"axis", 1}}), "step.first", 2 * waves, step.width);
  if (step.conditions > 0)
    hidden = graph.add("Add", {hidden, rows(conditions, "step.context", step.conditions, step.width)});
  return silu(graph, rows(silu(graph, hidden), "step.second", step.width, step.width));
}

std::vector<Value> Pen::modulation(const Step& step, const Value& dt, const Value& conditions,
                                   const std::vector<Modulating>& layers, std::int64_t part_width,
                                   const Ints& spread) {
  std::vector<float> weight, bias;  // of all layers, one below the other: one product instead of many
  std::size_t parts = 0;
  for (const auto& [layer, plus_one] : layers) {
    const std::int64_t out = static_cast<std::int64_t>(plus_one.size()) * part_width;
    const float *from = at(layer + ".weight"), *added = at(layer + ".bias");
    weight.insert(weight.end(), from, from + out * step.width);
    for (std::int64_t o = 0; o < out; ++o)
      bias.push_back(added[o] + (plus_one[size(o / part_width)] ? 1.0F : 0.0F));
    parts += plus_one.size();
  }
  const auto all = static_cast<std::int64_t>(bias.size());
  const Value embedded = embedding(step, dt, conditions);
  const Value numbers = graph.add("Gemm",
                                  {embedded, constant("modulate.weight", weight, {all, step.width}),
                                   constant("modulate.bias", bias, {all})},
                                  {{"transB", 1}});
  const auto axis = std::find(spread.begin(), spread.end(), -1) - spread.begin();
  const Value shaped = spread.size() > 2 ? graph.add("Reshape", {numbers, graph.integers(spread)}) : numbers;
  return graph.split(shaped, axis, parts);
}

}  // namespace cvf::onnx

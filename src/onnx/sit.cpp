#include <cmath>

#include "onnx/networks.hpp"

namespace cvf::onnx {

// Queries carry the 1/sqrt(head) of the products in their weights.
Value Sit::attention(Pen& pen, const Value& x, const std::string& block) const {
  Graph& graph = pen.graph;
  const auto& z = size_;
  const double scale = 1 / std::sqrt(static_cast<double>(z.head_dim()));
  const Value qkv = pen.tokens(x, block + "qkv", z.dim, 3 * z.dim,
                               [&](std::int64_t out) { return out < z.dim ? scale : 1.0; });
  const auto parts = graph.split(qkv, 2, 3);
  const auto heads = [&](const Value& part, const Ints& order) {
    const Value apart = graph.add("Reshape", {part, graph.integers({0, 0, z.heads, z.head_dim()})});
    return graph.add("Transpose", {apart}, {{"perm", order}});
  };
  const Value q = heads(parts[0], {0, 2, 1, 3}), k = heads(parts[1], {0, 2, 3, 1}),
              v = heads(parts[2], {0, 2, 1, 3});
  const Value shares = graph.add("Softmax", {graph.add("MatMul", {q, k})}, {{"axis", -1}});
  const Value mixed =
      graph.add("Transpose", {graph.add("MatMul", {shares, v})}, {{"perm", Ints{0, 2, 1, 3}}});
  const Value together = graph.add("Reshape", {mixed, graph.integers({0, 0, z.dim})});
  return pen.tokens(together, block + "project", z.dim, z.dim);
}

Value Sit::draw(Pen& pen, const Query& query) const {
  Graph& graph = pen.graph;
  const auto& z = size_;
  const std::int64_t rows = z.height / z.patch, columns = z.width / z.patch;
  std::vector<Modulating> layers;
  for (std::int64_t i = 0; i < z.depth; ++i)
    layers.push_back({fmt::format("blocks.{}.modulate", i), {false, true, false, false, true, false}});
  layers.push_back({"final_modulate", {false, true}});
  const auto m = pen.modulation({z.dim, shape_.dt_ref, options_.conditioned, shape_.conditions()}, query.dt,
                                query.conditions, layers, z.dim, {0, 1, -1});

  const Value squares =
      graph.add("Reshape", {query.state, graph.integers({-1, z.channels, rows, z.patch, columns, z.patch})});
  const Value patches = graph.add("Transpose", {squares}, {{"perm", Ints{0, 2, 4, 1, 3, 5}}});
  const Value tokens = graph.add("Reshape", {patches, graph.integers({-1, z.tokens(), z.patch_values()})});
  const Value places = pen.constant(
      "positions", {pen.at("positions"), static_cast<std::size_t>(z.tokens() * z.dim)}, {z.tokens(), z.dim});
  Value x = graph.add("Add", {pen.tokens(tokens, "patch", z.patch_values(), z.dim), places});
  for (std::int64_t i = 0; i < z.depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    const auto* part = m.data() + 6 * i;  // shift, scale, gate; twice
    const Value seen = attention(pen, pen.modulated_norm(x, z.dim, part[0], part[1]), block);
    x = graph.add("Add", {x, graph.add("Mul", {seen, part[2]})});
    const Value wide =
        pen.tokens(pen.modulated_norm(x, z.dim, part[3], part[4]), block + "expand", z.dim, 4 * z.dim);
    const Value thought = pen.tokens(gelu(graph, wide), block + "contract", 4 * z.dim, z.dim);
    x = graph.add("Add", {x, graph.add("Mul", {thought, part[5]})});
  }
  const auto* last = m.data() + 6 * z.depth;
  // What the network says of the fields beside the state comes last in its rows, and is left out.
  const std::int64_t values = shape_.channels * z.patch * z.patch;
  const Value out = pen.tokens(pen.modulated_norm(x, z.dim, last[0], last[1]), "output", z.dim, values);
  const Value apart =
      graph.add("Reshape", {out, graph.integers({-1, rows, columns, shape_.channels, z.patch, z.patch})});
  const Value back = graph.add("Transpose", {apart}, {{"perm", Ints{0, 3, 1, 4, 2, 5}}});
  const Ints sides =
      shape_.height == 1 ? Ints{-1, shape_.channels, z.width} : Ints{-1, shape_.channels, z.height, z.width};
  return graph.add("Reshape", {back, graph.integers(sides)});
}

}  // namespace cvf::onnx

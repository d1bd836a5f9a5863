#include "onnx/networks.hpp"

namespace cvf::onnx {

Value Mlp::draw(Pen& pen, const Query& query) const {
  Graph& graph = pen.graph;
  const std::int64_t dim = options_.width, inner = dim * options_.expansion;
  std::vector<Modulating> layers;
  for (int i = 0; i < options_.depth; ++i)
    layers.push_back({fmt::format("blocks.{}.modulate", i), {false, true, false}});
  layers.push_back({"final_modulate", {false, true}});
  const auto m = pen.modulation({dim, shape_.dt_ref, options_.conditioned, shape_.conditions()}, query.dt,
                                query.conditions, layers, dim, {0, -1});

  Value x = pen.rows(query.state, "input", shape_.channels, dim);
  const auto* part = m.data();  // shift, scale, gate of each block
  for (int i = 0; i < options_.depth; ++i, part += 3) {
    const std::string block = fmt::format("blocks.{}.", i);
    const Value wide = pen.rows(pen.modulated_norm(x, dim, part[0], part[1]), block + "expand", dim, inner);
    const Value thought = pen.rows(gelu(graph, wide), block + "contract", inner, dim);
    x = graph.add("Add", {x, graph.add("Mul", {thought, part[2]})});
  }
  return pen.rows(pen.modulated_norm(x, dim, part[0], part[1]), "output", dim, shape_.channels);
}

namespace {

template <class Type>
std::unique_ptr<Settings> settings_of() {
  struct Concrete : OptionsOf<Type, Settings> {
    double values(const fields::StateShape& shape) const override { return this->options.values(shape); }
    std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const override {
      return this->options.tensors(shape);
    }
  };
  return std::make_unique<Concrete>();
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"conv", settings_of<Conv>}, {"sit", settings_of<Sit>}, {"mlp", settings_of<Mlp>}};
  return rows;
}

}  // namespace cvf::onnx

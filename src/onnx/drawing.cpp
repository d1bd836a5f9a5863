#include <fmt/ranges.h>

#include "onnx/networks.hpp"

namespace cvf::onnx {
namespace {

using Numbers = std::vector<double>;

class Drawing {
 public:
  Drawing(const Spec& spec, const Network& network) : spec_(spec) {
    for (const auto& axis : spec.state.axes) {
      const bool any = network.any_size(axis.name);
      grid_.push_back(any ? Side("n" + axis.name) : Side(static_cast<std::int64_t>(axis.size)));
    }
  }

  Graph graph{"cvf"};

  Value input(const std::string& name, const Ints& between, bool on_grid, const std::string& meaning) {
    return graph.input(name, sides(between, on_grid), meaning);
  }
  void output(const std::string& name, std::int64_t channels, const std::string& meaning) {
    graph.output(name, sides({channels}, true), meaning);
  }

  /// A number for each channel, to be met by a tensor that may have the grid behind them.
  Value constant(const std::string& name, const Numbers& values, bool on_grid) {
    Ints sizes{static_cast<std::int64_t>(values.size())};
    if (on_grid) sizes.resize(1 + grid_.size(), 1);
    return graph.floats(name, std::vector<float>(values.begin(), values.end()), sizes);
  }
  Value standardised(const Value& x, const Numbers& mean, const Numbers& deviation, bool on_grid) {
    const Value centred = graph.add("Sub", {x, constant(x + ".mean", mean, on_grid)});
    return graph.add("Div", {centred, constant(x + ".deviation", deviation, on_grid)});
  }

  /// dt [batch] as a factor of states.
  Value beside_states(const Value& dt) {
    Ints axes{1};
    while (axes.size() <= grid_.size()) axes.push_back(axes.back() + 1);
    return graph.add("Unsqueeze", {dt, graph.integers(axes)});
  }

  /// What the network sees, in its units: conditions side by side, fields as channels behind the state.
  Query seen(const Value& state, const Value& dt) {
    const auto& context = spec_.context;
    std::vector<Value> numbers, layers{state};
    if (!context.parameters.names.empty())
      numbers.push_back(given("parameters", context.parameters, 0, false));
    if (!context.controls.names.empty()) {
      const Value controls = given("controls", context.controls, context.nodes, false);
      numbers.push_back(graph.add("Flatten", {controls}, {{"axis", 1}}));
    }
    if (!context.statics.names.empty()) layers.push_back(given("static", context.statics, 0, true));
    if (!context.control_fields.names.empty()) {
      const Value fields = given("control_fields", context.control_fields, context.nodes, true);
      for (int node = 0; node < context.nodes; ++node)
        layers.push_back(graph.add("Gather", {fields, graph.integer(node)}, {{"axis", 1}}));
    }
    return {.state = together(layers), .dt = dt, .conditions = together(numbers)};
  }

 private:
  std::vector<Side> sides(const Ints& between, bool on_grid) const {
    std::vector<Side> out{"batch"};
    out.insert(out.end(), between.begin(), between.end());
    if (on_grid) out.insert(out.end(), grid_.begin(), grid_.end());
    return out;
  }

  /// A part of the context, at so many nodes of the step; 0: it does not change within one.
  Value given(const std::string& name, const model::Scaled& part, int nodes, bool on_grid) {
    const auto count = static_cast<std::int64_t>(part.names.size());
    const Value x = input(name, nodes > 0 ? Ints{nodes, count} : Ints{count}, on_grid,
                          fmt::format("{} in physical units{}", fmt::join(part.names, ", "),
                                      nodes > 0 ? ", at evenly spread nodes of the step" : ""));
    return standardised(x, part.mean, part.deviation, on_grid);
  }

  Value together(const std::vector<Value>& parts) {
    if (parts.empty()) return {};
    return parts.size() == 1 ? parts.front() : graph.add("Concat", parts, {{"axis", 1}});
  }

  const Spec& spec_;
  std::vector<Side> grid_;
};

}  // namespace

std::string member_prefix(const Spec& spec, int member) {
  return spec.members == 1 ? "" : fmt::format("members.{}.", member);
}

Graph draw(const Spec& spec, const Network& network, const runtime::Units& units,
           const runtime::Weights& weights) {
  Drawing drawing(spec, network);
  Graph& graph = drawing.graph;
  const auto channels = static_cast<std::int64_t>(units.mean.size());
  const Value state = drawing.input("state", {channels}, true,
                                    fmt::format("{} in physical units", fmt::join(spec.state.names(), ", ")));
  const Value dt = drawing.input("dt", {}, false, "length of the step, for each state");
  const Query query = drawing.seen(drawing.standardised(state, units.mean, units.sigma, true), dt);

  Value psi;  // the sum of all members
  for (int i = 0; i < spec.members; ++i) {
    Pen pen(graph, weights, member_prefix(spec, i));
    const Value one = network.draw(pen, query);
    psi = i == 0 ? one : graph.add("Add", {psi, one});
  }
  Numbers factor, offset;  // den(psi), and from there to physical units
  for (std::size_t c = 0; c < units.sigma.size(); ++c) {
    factor.push_back(units.sigma[c] * units.factor[c] / spec.members);
    offset.push_back(units.sigma[c] * units.offset[c]);
  }
  const Value scaled = graph.add("Mul", {psi, drawing.constant("velocity.factor", factor, true)});
  const Value velocity =
      graph.add("Add", {scaled, drawing.constant("velocity.offset", offset, true)}, {}, "velocity");
  graph.add("Add", {state, graph.add("Mul", {velocity, drawing.beside_states(dt)})}, {}, "next");
  drawing.output("velocity", channels, "the mean velocity over the step, in physical units");
  drawing.output("next", channels, "state + dt * velocity: the state after the step");
  return std::move(graph);
}

}  // namespace cvf::onnx

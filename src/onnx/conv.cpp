#include <algorithm>

#include "onnx/networks.hpp"

namespace cvf::onnx {
namespace {

bool repeats_the_edge(const AxisBoundary& axis) {
  const auto edge = [](Boundary side) { return side != Boundary::periodic && side != Boundary::wall; };
  return edge(axis.low) && edge(axis.high);
}

// Which cells stand before the first one, or behind the last one; -1 is the last, as Gather counts. On an
// axis of a known number of cells, however few; else (cells < 0) on any that has at least `reach`.
Ints strip(std::int64_t reach, std::int64_t cells, const AxisBoundary& axis, bool behind) {
  Ints out;
  for (std::int64_t i = 0; i < reach; ++i) {
    const std::int64_t inwards = behind ? i : reach - 1 - i;  // cells from the edge, the nearest is 0
    if (cells >= 0) {
      out.push_back(kernels::source_cell(behind ? cells + inwards : -1 - inwards, cells, axis));
      continue;
    }
    const Boundary side = behind ? axis.high : axis.low;
    if (side == Boundary::periodic) out.push_back(behind ? inwards : -1 - inwards);
    if (side == Boundary::wall) out.push_back(behind ? -1 - inwards : inwards);
    if (side != Boundary::periodic && side != Boundary::wall) out.push_back(behind ? -1 : 0);
  }
  return out;
}

}  // namespace

// A strip of more cells than the axis has is put together cell by cell, which only a known number allows;
// where the edge is repeated it makes no difference.
bool Conv::any_size(std::string_view axis) const {
  const bool y = axis == "y";
  const std::int64_t cells = y ? shape_.height / size_.patch_y : shape_.width / size_.patch_x;
  const std::int64_t reach = *std::max_element(size_.dilations.begin(), size_.dilations.end());
  return repeats_the_edge(y ? size_.boundary_y : size_.boundary_x) || cells >= reach;
}

Value Conv::padded(Graph& graph, Value x, std::int64_t reach) const {
  for (const auto* axis : {"y", "x"}) {
    const bool y = *axis == 'y';
    if (y && size_.along_x) continue;
    const std::int64_t cells = any_size(axis) ? -1
                               : y            ? shape_.height / size_.patch_y
                                              : shape_.width / size_.patch_x;
    const auto& sides = y ? size_.boundary_y : size_.boundary_x;
    const std::int64_t place = y || size_.along_x ? 2 : 3;
    const auto beyond = [&](bool behind) {
      const Value which = graph.integers(strip(reach, cells, sides, behind));
      return graph.add("Gather", {x, which}, {{"axis", place}});
    };
    const Value before = beyond(false), behind = beyond(true);
    x = graph.add("Concat", {before, x, behind}, {{"axis", place}});
  }
  return x;
}

// The squares of pixels become channels. SpaceToDepth puts the place inside a square before the channel, and
// we the channel first: the weights of the layer behind it are put into its order.
Value Conv::cells_of(Graph& graph, const Value& state) const {
  if (options_.patch == 1) return state;
  if (!size_.along_x) return graph.add("SpaceToDepth", {state}, {{"blocksize", options_.patch}});
  const Value apart = graph.add("Reshape", {state, graph.integers({0, 0, -1, size_.patch_x})});
  const Value turned = graph.add("Transpose", {apart}, {{"perm", Ints{0, 3, 1, 2}}});
  return graph.add("Reshape", {turned, graph.integers({0, size_.inputs(), -1})});
}

std::vector<float> Conv::lift_weight(const float* from) const {
  const std::int64_t places = size_.patch_y * size_.patch_x, taps = size_.taps();
  std::vector<float> out;
  for (std::int64_t row = 0; row < size_.dim; ++row) {
    for (std::int64_t place = 0; place < places; ++place) {
      for (std::int64_t c = 0; c < size_.channels; ++c) {
        const float* kernel = from + ((row * size_.channels + c) * places + place) * taps;
        out.insert(out.end(), kernel, kernel + taps);
      }
    }
  }
  return out;
}

Value Conv::pixels_of(Graph& graph, const Value& cells) const {
  if (options_.patch == 1) return cells;
  if (!size_.along_x) {
    return graph.add("DepthToSpace", {cells}, {{"blocksize", options_.patch}, {"mode", std::string("CRD")}});
  }
  const Value apart = graph.add("Reshape", {cells, graph.integers({0, shape_.channels, size_.patch_x, -1})});
  const Value turned = graph.add("Transpose", {apart}, {{"perm", Ints{0, 1, 3, 2}}});
  return graph.add("Reshape", {turned, graph.integers({0, shape_.channels, -1})});
}

Value Conv::layer(Pen& pen, const Value& x, const std::string& name, std::int64_t in, std::int64_t out,
                  std::int64_t dilation) const {
  const auto* from = pen.at(name + ".weight");
  const auto count = static_cast<std::size_t>(out * in * size_.taps());
  const auto values = name == "lift" ? lift_weight(from) : std::vector<float>(from, from + count);
  const Ints sizes = size_.along_x ? Ints{out, in, 3} : Ints{out, in, 3, 3};
  const Value weight = pen.constant(name + ".weight", values, sizes),
              bias = pen.constant(name + ".bias", {pen.at(name + ".bias"), static_cast<std::size_t>(out)},
                                  {out});
  return pen.graph.add("Conv", {padded(pen.graph, x, dilation), weight, bias},
                       {{"dilations", Ints(sizes.size() - 2, dilation)}});
}

Value Conv::mixed(Pen& pen, const Value& x, const std::string& name) const {
  const auto dim = static_cast<std::size_t>(size_.dim);
  Ints sizes{size_.dim, size_.dim, 1};
  if (!size_.along_x) sizes.push_back(1);
  const Value weight = pen.constant(name + ".weight", {pen.at(name + ".weight"), dim * dim}, sizes),
              bias = pen.constant(name + ".bias", {pen.at(name + ".bias"), dim}, {size_.dim});
  return pen.graph.add("Conv", {x, weight, bias});
}

Value Conv::draw(Pen& pen, const Query& query) const {
  Graph& graph = pen.graph;
  const auto& z = size_;
  const auto activation = z.silu ? silu : gelu;
  const std::size_t blocks = z.dilations.size();
  std::vector<Modulating> layers;
  for (std::size_t i = 0; i < blocks; ++i)
    layers.push_back({fmt::format("blocks.{}.modulate", i), {false, true, true}});
  const auto m = pen.modulation(
      {options_.step_dim(), shape_.dt_ref, options_.conditioned, shape_.conditions()}, query.dt,
      query.conditions, layers, z.dim, z.along_x ? Ints{0, -1, 1} : Ints{0, -1, 1, 1});

  Value x = layer(pen, cells_of(graph, query.state), "lift", z.inputs(), z.dim, 1);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    const auto* part = m.data() + 3 * i;  // shift, scale, gate
    const Value around = layer(pen, x, block + "spatial", z.dim, z.dim, z.dilations[i]);
    const Value h = activation(graph, graph.add("Add", {graph.add("Mul", {around, part[1]}), part[0]}));
    x = graph.add("Add", {x, graph.add("Mul", {mixed(pen, h, block + "mix"), part[2]})});
  }
  // What the network says of the fields beside the state comes last in its rows, and is left out.
  const std::int64_t outputs = shape_.channels * z.patch_y * z.patch_x;
  return pixels_of(graph, layer(pen, activation(graph, x), "output", z.dim, outputs, 1));
}

}  // namespace cvf::onnx

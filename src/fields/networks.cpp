#include "fields/networks.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cvf::fields {
namespace {

void check_patch(std::string_view name, std::int64_t size, std::int64_t patch) {
  if (size % patch == 0) return;
  std::string fitting;
  for (std::int64_t p = 1; p <= size && p <= 16; ++p) {
    if (size % p == 0) fitting += fmt::format("{}{}", fitting.empty() ? "" : ", ", p);
  }
  throw ConfigError("field.patch = {} does not divide the grid's {} {}: {} would", patch, name, size,
                    fitting);
}

GridBoundary boundary_of(const StateShape& shape, const std::string& text) {
  if (text == "auto") return shape.boundary;
  const auto out = parse_boundary(text);
  if (!out) {
    throw ConfigError(
        "field.boundary = '{}' is not understood: one of {}, or for each axis, as in 'y: wall, x: periodic'",
        text, boundary_names());
  }
  return *out;
}

// "28 or 32": the multiples of `unit` on either side of a size that does not fit.
std::string neighbours(std::int64_t size, std::int64_t unit) {
  const auto below = size / unit * unit;
  if (below == 0) return fmt::format("{}", unit);
  return fmt::format("{} or {}", below, below + unit);
}

void check_patch(const StateShape& shape, std::int64_t patch) {
  const auto divides = [&](std::int64_t p) { return shape.height % p == 0 && shape.width % p == 0; };
  if (shape.height > 0 && shape.width > 0 && divides(patch)) return;
  std::string fitting;
  for (std::int64_t p = 1; p <= 32; ++p) {
    if (divides(p)) fitting += fmt::format("{}{}", fitting.empty() ? "" : ", ", p);
  }
  throw ConfigError("field.patch = {} does not divide the grid of {} x {} (y x x): {} would", patch,
                    shape.height, shape.width, fitting);
}

// Tensors by name, in the order of the modules that own them.
class Names {
 public:
  void linear(const std::string& name, std::int64_t in, std::int64_t out) { layer(name, {out, in}); }
  void layer(const std::string& name, std::vector<std::int64_t> weight) {
    const std::int64_t out = weight.front();
    all_.push_back({name + ".weight", std::move(weight)});
    all_.push_back({name + ".bias", {out}});
  }
  void step(std::int64_t dim, std::int64_t conditions) {
    linear("step.first", 2 * step_waves, dim);
    linear("step.second", dim, dim);
    if (conditions > 0) linear("step.context", conditions, dim);
  }
  std::vector<TensorSize> with(std::vector<TensorSize> buffers) {
    all_.insert(all_.end(), buffers.begin(), buffers.end());
    return std::move(all_);
  }

 private:
  std::vector<TensorSize> all_;
};

const TensorSize frequencies{"step.frequencies", {step_waves}};

}  // namespace

StateShape shape_of(const StateSpec& state, double dt_ref) {
  if (state.axes.size() > 2)
    throw ConfigError("states on {}: fields take up to two axes so far", state.grid_text());
  StateShape out{.channels = static_cast<std::int64_t>(state.count(Role::state)), .dt_ref = dt_ref};
  if (state.is_vector()) return out;
  out.height = static_cast<std::int64_t>(state.size_along("y"));
  out.width = static_cast<std::int64_t>(state.size_along("x"));
  for (const auto& axis : state.axes) out.boundary.named.emplace_back(axis.name, axis.boundary);
  return out;
}

double step_values(double dim, std::int64_t conditions) {
  const double context = conditions > 0 ? linear_values(static_cast<double>(conditions), dim) : 0;
  return linear_values(2 * step_waves, dim) + linear_values(dim, dim) + context + step_waves;
}

void ConvOptions::describe(config::Section& s) {
  s.key("width", &width, "channels of the hidden state", config::between(1, 4096));
  s.key("depth", &depth, "how often the list of dilations is repeated", config::between(1, 64));
  s.key("dilations", &dilations, "dilation of each residual block's 3x3 convolution");
  s.key("patch", &patch, "side of the squares of pixels that become one cell; divides the grid",
        config::at_least(1));
  s.key("activation", &activation, "silu or gelu (tanh form)", config::one_of({"silu", "gelu"}));
  s.key("boundary", &boundary,
        "beyond the grid: auto (as the file says, else as its values show), periodic (wraps), wall (mirrors), zero_flux, outflow or "
        "unknown (the "
        "edge's value); or for each axis, as in 'y: wall, x: periodic'");
  s.key("conditioned", &conditioned,
        "false: the field does not see dt (tau = 0), as tangent methods want it");
  s.key("engine", &engine,
        "auto: on the CPU in float32 fused, with Winograd's convolution where both sides of the grid are "
        "multiples of twice the dilation, elsewhere composed; direct: without Winograd's convolution; "
        "composed: library operations",
        config::one_of({"auto", "direct", "composed"}));
}

kernels::ConvSize ConvOptions::size(const StateShape& shape) const {
  if (shape.is_vector())
    throw ConfigError("field 'conv' needs states on a grid; for vector states take 'mlp'");
  if (dilations.empty()) throw ConfigError("field.dilations is empty: [1, 2, 4] would do");
  for (const auto d : dilations) {
    if (d < 1) throw ConfigError("field.dilations has {}: a dilation is at least 1", d);
  }
  kernels::ConvSize out;
  out.channels = shape.channels + shape.beside();
  out.along_x = shape.height == 1;
  out.patch_y = out.along_x ? 1 : patch;
  out.patch_x = patch;
  check_patch("height", shape.height, out.patch_y);
  check_patch("width", shape.width, out.patch_x);
  out.dim = width;
  out.silu = activation == "silu";
  out.dilations.clear();
  for (int i = 0; i < depth; ++i)
    out.dilations.insert(out.dilations.end(), dilations.begin(), dilations.end());
  const GridBoundary around = boundary_of(shape, boundary);
  out.boundary_y = around.along("y");
  out.boundary_x = around.along("x");
  out.winograd = engine != "direct";
  return out;
}

double ConvOptions::values(const StateShape& shape) const {
  const double side = patch, dim = width, taps = shape.height == 1 ? 3 : 9, embedding = std::max(64.0, dim);
  const double inputs =
      static_cast<double>(shape.channels + shape.beside()) * side * (shape.height == 1 ? 1 : side);
  const double block =
      linear_values(taps * dim, dim) + linear_values(dim, dim) + linear_values(embedding, 3 * dim);
  return linear_values(taps * inputs, dim) + step_values(embedding, shape.conditions()) +
         depth * static_cast<double>(dilations.size()) * block + linear_values(taps * dim, inputs);
}

std::vector<TensorSize> ConvOptions::tensors(const StateShape& shape) const {
  const auto z = size(shape);
  const std::int64_t lines = z.along_x ? 1 : 3, embedding = step_dim();
  Names names;
  names.layer("lift", {z.dim, z.inputs(), lines, 3});
  names.step(embedding, shape.conditions());
  for (std::size_t i = 0; i < z.dilations.size(); ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    names.layer(block + "spatial", {z.dim, z.dim, lines, 3});
    names.linear(block + "mix", z.dim, z.dim);
    names.linear(block + "modulate", embedding, 3 * z.dim);
  }
  names.layer("output", {z.inputs(), z.dim, lines, 3});
  return names.with({frequencies});
}

void SitOptions::describe(config::Section& s) {
  s.key("patch", &patch, "side of the square patches that become tokens; divides the grid",
        config::at_least(1));
  s.key("width", &width, "values in a token", config::at_least(4));
  s.key("depth", &depth, "number of blocks", config::between(1, most_blocks));
  s.key("heads", &heads, "attention heads; divide the width", config::at_least(1));
  s.key("conditioned", &conditioned,
        "false: the field does not see dt (tau = 0), as tangent methods want it");
  s.key("engine", &engine, "auto: fused on the CPU in float32, else composed; composed: library operations",
        config::one_of({"auto", "composed"}));
}

kernels::SitSize SitOptions::size(const StateShape& shape) const {
  if (shape.is_vector())
    throw ConfigError("field 'sit' needs states on a grid; for vector states take 'mlp'");
  check_patch(shape, patch);
  if (width % 4 != 0) {
    throw ConfigError("field.width = {} must be a multiple of 4 (sine-cosine positions): {} would fit", width,
                      neighbours(width, 4));
  }
  if (width % heads != 0) {
    const std::int64_t unit = heads % 4 == 0 ? heads : (heads % 2 == 0 ? 2 * heads : 4 * heads);
    throw ConfigError("field.width = {} does not split into field.heads = {}: {} would fit", width, heads,
                      neighbours(width, unit));
  }
  return {shape.channels + shape.beside(), shape.height, shape.width, patch, width, depth, heads};
}

double SitOptions::values(const StateShape& shape) const {
  const double side = patch, dim = width;
  const double patch_values = static_cast<double>(shape.channels + shape.beside()) * side * side;
  const double tokens = static_cast<double>(shape.height) / side * (static_cast<double>(shape.width) / side);
  const double block = linear_values(dim, 3 * dim) + linear_values(dim, dim) + linear_values(dim, 4 * dim) +
                       linear_values(4 * dim, dim) + linear_values(dim, 6 * dim);
  return linear_values(patch_values, dim) + step_values(dim, shape.conditions()) + depth * block +
         linear_values(dim, 2 * dim) + linear_values(dim, patch_values) + tokens * dim;
}

std::vector<TensorSize> SitOptions::tensors(const StateShape& shape) const {
  const auto z = size(shape);
  Names names;
  names.linear("patch", z.patch_values(), z.dim);
  names.step(z.dim, shape.conditions());
  for (std::int64_t i = 0; i < z.depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    names.linear(block + "qkv", z.dim, 3 * z.dim);
    names.linear(block + "project", z.dim, z.dim);
    names.linear(block + "expand", z.dim, 4 * z.dim);
    names.linear(block + "contract", 4 * z.dim, z.dim);
    names.linear(block + "modulate", z.dim, 6 * z.dim);
  }
  names.linear("final_modulate", z.dim, 2 * z.dim);
  names.linear("output", z.dim, z.patch_values());
  return names.with({{"positions", {z.tokens(), z.dim}}, frequencies});
}

void MlpOptions::describe(config::Section& s) {
  s.key("width", &width, "values in the hidden state", config::at_least(1));
  s.key("depth", &depth, "number of residual blocks", config::between(1, most_blocks));
  s.key("expansion", &expansion, "values inside a block for each value of the hidden state",
        config::at_least(1));
  s.key("conditioned", &conditioned,
        "false: the field does not see dt (tau = 0), as tangent methods want it");
  s.key("engine", &engine, "auto: fused on the CPU in float32, else composed; composed: library operations",
        config::one_of({"auto", "composed"}));
}

kernels::MlpSize MlpOptions::size(const StateShape& shape) const {
  if (!shape.is_vector())
    throw ConfigError("field 'mlp' needs vector states; for states on a grid take 'sit'");
  if (shape.beside() > 0)
    throw ConfigError("field 'mlp' has no cells for static fields; make them parameters of the vector state");
  return {shape.channels, width, static_cast<std::int64_t>(width) * expansion, depth};
}

double MlpOptions::values(const StateShape& shape) const {
  const double channels = static_cast<double>(shape.channels), wide = width, inner = wide * expansion;
  return linear_values(channels, wide) + step_values(wide, shape.conditions()) +
         depth * (linear_values(wide, inner) + linear_values(inner, wide) + linear_values(wide, 3 * wide)) +
         linear_values(wide, 2 * wide) + linear_values(wide, channels);
}

std::vector<TensorSize> MlpOptions::tensors(const StateShape& shape) const {
  size(shape);  // refuses what does not fit
  const std::int64_t dim = width, inner = dim * expansion;
  Names names;
  names.linear("input", shape.channels, dim);
  names.step(dim, shape.conditions());
  for (int i = 0; i < depth; ++i) {
    const std::string block = fmt::format("blocks.{}.", i);
    names.linear(block + "expand", dim, inner);
    names.linear(block + "contract", inner, dim);
    names.linear(block + "modulate", dim, 3 * dim);
  }
  names.linear("final_modulate", dim, 2 * dim);
  names.linear("output", dim, shape.channels);
  return names.with({frequencies});
}

}  // namespace cvf::fields

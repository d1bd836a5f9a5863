#include "fields/conv.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "kernels/batch.hpp"
#include "kernels/layer_hook.hpp"

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

kernels::ConvSize checked_size(const StateShape& shape, const Conv::Options& o) {
  if (shape.is_vector())
    throw ConfigError("field 'conv' needs states on a grid; for vector states take 'mlp'");
  if (o.dilations.empty()) throw ConfigError("field.dilations is empty: [1, 2, 4] would do");
  for (const auto d : o.dilations) {
    if (d < 1) throw ConfigError("field.dilations has {}: a dilation is at least 1", d);
  }
  kernels::ConvSize out;
  out.channels = shape.channels + shape.beside();
  out.along_x = shape.height == 1;
  out.patch_y = out.along_x ? 1 : o.patch;
  out.patch_x = o.patch;
  check_patch("height", shape.height, out.patch_y);
  check_patch("width", shape.width, out.patch_x);
  out.dim = o.width;
  out.silu = o.activation == "silu";
  out.dilations.clear();
  for (int i = 0; i < o.depth; ++i)
    out.dilations.insert(out.dilations.end(), o.dilations.begin(), o.dilations.end());
  const GridBoundary boundary = boundary_of(shape, o.boundary);
  out.boundary_y = boundary.along("y");
  out.boundary_x = boundary.along("x");
  return out;
}

template <class Layer>
kernels::Linear view(const Layer& l) {
  return {l->weight, l->bias};
}

}  // namespace

void Conv::Options::describe(config::Section& s) {
  s.key("width", &width, "channels of the hidden state", config::between(1, 4096));
  s.key("depth", &depth, "how often the list of dilations is repeated", config::between(1, 64));
  s.key("dilations", &dilations, "dilation of each residual block's 3x3 convolution");
  s.key("patch", &patch, "side of the squares of pixels that become one cell; divides the grid",
        config::at_least(1));
  s.key("activation", &activation, "silu or gelu (tanh form)", config::one_of({"silu", "gelu"}));
  s.key("boundary", &boundary,
        "beyond the grid: auto (as the data say), periodic (wraps), wall (mirrors), zero_flux, outflow or "
        "unknown (the "
        "edge's value); or for each axis, as in 'y: wall, x: periodic'");
  s.key("conditioned", &conditioned,
        "false: the field does not see dt (tau = 0), as tangent methods want it");
  s.key("engine", &engine, "auto: fused on the CPU in float32, else composed; composed: library operations",
        config::one_of({"auto", "composed"}));
}

Conv::Conv(const StateShape& shape, const Options& options, std::uint64_t seed)
    : VelocityField(shape),
      options_(options),
      size_(checked_size(shape, options)),
      cache_(kernels::make_conv_cache()) {
  lift_ = register_module("lift", make_kernel(size_.inputs(), size_.dim, Draw::xavier, seed, "lift"));
  step_ = register_module(
      "step", StepEmbedding(std::max<std::int64_t>(64, size_.dim), shape.dt_ref, shape.conditions(), seed));
  auto blocks = register_module("blocks", std::make_shared<torch::nn::Module>());
  for (std::size_t i = 0; i < size_.dilations.size(); ++i) add_block(*blocks, i, seed);
  output_ = register_module("output", make_kernel(size_.dim, size_.inputs(), Draw::zero, seed, "output"));
}

double Conv::values(const StateShape& shape, const Options& o) {
  const double patch = o.patch, dim = o.width, taps = shape.height == 1 ? 3 : 9,
               embedding = std::max(64.0, dim);
  const double inputs =
      static_cast<double>(shape.channels + shape.beside()) * patch * (shape.height == 1 ? 1 : patch);
  const double block =
      linear_values(taps * dim, dim) + linear_values(dim, dim) + linear_values(embedding, 3 * dim);
  return linear_values(taps * inputs, dim) + StepEmbeddingImpl::values(embedding, shape.conditions()) +
         o.depth * static_cast<double>(o.dilations.size()) * block + linear_values(taps * dim, inputs);
}

Conv::KernelPointer Conv::make_kernel(std::int64_t in, std::int64_t out, Draw draw, std::uint64_t seed,
                                      const std::string& name) const {
  auto kernel = std::make_shared<Kernel>();
  kernel->weight = kernel->register_parameter("weight", torch::empty({out, in, size_.along_x ? 1 : 3, 3}));
  kernel->bias = kernel->register_parameter("bias", torch::empty({out}));
  initialise(kernel->weight, kernel->bias, draw, seed, name);
  return kernel;
}

void Conv::add_block(torch::nn::Module& parent, std::size_t index, std::uint64_t seed) {
  auto holder = parent.register_module(fmt::format("{}", index), std::make_shared<torch::nn::Module>());
  const auto name = [&](const char* part) { return fmt::format("blocks.{}.{}", index, part); };
  const auto linear = [&](const char* part, std::int64_t in, std::int64_t out, Draw draw) {
    torch::nn::Linear layer = holder->register_module(part, torch::nn::Linear(in, out));
    initialise(layer, draw, seed, name(part));
    return layer;
  };
  const auto dim = size_.dim, embedding = std::max<std::int64_t>(64, dim);
  blocks_.push_back(
      {holder->register_module("spatial", make_kernel(dim, dim, Draw::xavier, seed, name("spatial"))),
       linear("mix", dim, dim, Draw::xavier), linear("modulate", embedding, 3 * dim, Draw::zero)});
}

torch::Tensor Conv::modulation(const torch::Tensor& dt, const torch::Tensor& conditions) {
  const torch::Tensor c =
      kernels::hooked("step", step_(options_.conditioned ? dt : torch::zeros_like(dt), conditions, engine()));
  std::vector<kernels::Linear> layers;
  for (const auto& block : blocks_) layers.push_back(view(block.modulate));
  return kernels::linears_beside(c, layers, engine());
}

kernels::Engine Conv::engine() const {
  return options_.engine == "composed" ? kernels::Engine::composed : kernels::Engine::automatic;
}

kernels::ConvTrunk Conv::trunk() const {
  kernels::ConvTrunk out{size_, view(lift_), {}, view(output_), cache_};
  for (const auto& b : blocks_) out.blocks.push_back({view(b.spatial), view(b.mix)});
  return out;
}

// What lies beside the state enters as further channels; what the trunk says of them is not asked for.
torch::Tensor Conv::forward(const Query& query) {
  check(query);
  const torch::Tensor psi = kernels::evaluate(trunk(), engine(), with_beside(query),
                                              modulation(query.dt, query.context.conditions()));
  return shape().beside() > 0 ? psi.narrow(1, 0, shape().channels) : psi;
}

// Composed operations hold the padded input, convolution, FiLM, activation and mix of each block, forward and
// backward; the fused ones keep to a budget and compute the rest again.
double Conv::training_bytes(double evaluations) const {
  const double cells = static_cast<double>(shape().height / size_.patch_y * (shape().width / size_.patch_x));
  const double plane = 4.0 * cells * static_cast<double>(size_.dim);
  const double composed = evaluations * 8.0 * plane * static_cast<double>(blocks_.size());
  if (!trains_fused()) return composed;
  return std::min(composed, static_cast<double>(kernels::activation_budget_bytes()) + 4e7);
}

std::int64_t Conv::micro_batch_rows(double evaluations) const {
  return trains_fused() ? kernels::comfortable_rows(size_, shape().height, shape().width, evaluations) : 0;
}

bool Conv::trains_fused() const {
  const auto& weight = lift_->weight;
  return options_.engine != "composed" && weight.scalar_type() == torch::kFloat && weight.device().is_cpu();
}

double Conv::flops() const {
  double step = step_->flops();
  for (const auto& b : blocks_) step += 2.0 * static_cast<double>(b.modulate->weight.numel());
  return kernels::forward_flops(size_, shape().height, shape().width) + step;
}

}  // namespace cvf::fields

// The networks for states on a grid.
#include <algorithm>

#include "kernels/forward.hpp"
#include "runtime/networks.hpp"

namespace cvf::runtime {
namespace {

using fields::StateShape;
using kernels::Buffer;
using kernels::make_buffer;

std::vector<std::string> of_blocks(std::size_t count, const char* part) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("blocks.{}.{}", i, part));
  return out;
}

// What lies beside the state enters as further channels behind it; what the network says of them is dropped.
// `evaluate` takes states and gives velocities of `all` channels.
template <class Evaluate>
void with_beside(const Query& query, std::int64_t channels, std::int64_t all, std::int64_t cells, float* psi,
                 const Evaluate& evaluate) {
  if (all == channels) return evaluate(query.state, psi);
  const auto state = static_cast<std::size_t>(channels * cells),
             whole = static_cast<std::size_t>(all * cells);
  const auto rows = static_cast<std::size_t>(query.rows);
  const Buffer in = make_buffer(rows * whole), out = make_buffer(rows * whole);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(query.state + r * state, state, in.get() + r * whole);
    std::copy_n(query.beside + r * (whole - state), whole - state, in.get() + r * whole + state);
  }
  evaluate(in.get(), out.get());
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(out.get() + r * whole, state, psi + r * state);
}

}  // namespace

Conv::Conv(const StateShape& shape, const Options& options, const Weights& weights) {
  const auto size = options.size(shape);
  layout_ = std::make_shared<const kernels::ConvLayout>(size, shape.height, shape.width);
  const auto& plan = layout_->plan();
  std::vector<kernels::LayerValues> layers{layer_of(weights, "lift")};
  for (std::size_t i = 0; i < size.dilations.size(); ++i) {
    layers.push_back(layer_of(weights, fmt::format("blocks.{}.spatial", i)));
    layers.push_back(layer_of(weights, fmt::format("blocks.{}.mix", i)));
  }
  layers.push_back(layer_of(weights, "output"));
  Buffer packed = make_buffer(static_cast<std::size_t>(plan.weight_floats));
  kernels::pack_conv(plan, layers, packed.get(), nullptr);
  parts_ = std::make_shared<const Parts>(
      Parts{shape, options,
            Modulation(shape, options.conditioned, of_blocks(size.dilations.size(), "modulate"), weights),
            std::move(packed)});
}

std::shared_ptr<const Network> Conv::on_grid(std::int64_t height, std::int64_t width) const {
  auto shape = parts_->shape;
  shape.height = height, shape.width = width;
  auto layout = std::make_shared<const kernels::ConvLayout>(parts_->options.size(shape), height, width);
  return std::shared_ptr<const Network>(new Conv(parts_, std::move(layout)));
}

void Conv::forward(const Query& query, float* psi, int threads) const {
  const auto& plan = layout_->plan();
  const auto modulation = parts_->modulation.of(query, threads);
  with_beside(
      query, parts_->shape.channels, plan.channels, static_cast<std::int64_t>(plan.height) * plan.width, psi,
      [&](const float* state, float* velocity) {
        kernels::forward_conv(plan, parts_->packed.get(), {query.rows, state, modulation.data(), velocity},
                              nullptr, kernels::threads_for(plan.cells, threads));
      });
}

double Conv::flops() const {
  double products = 0;
  for (const auto& layer : kernels::tap_layers(layout_->plan()))
    products += static_cast<double>(layer.in) * layer.out * layer.taps;
  return 2 * products * layout_->plan().cells + parts_->modulation.flops();
}

Sit::Sit(const StateShape& shape, const Options& options, const Weights& weights)
    : channels_(shape.channels),
      modulation_(
          shape, options.conditioned,
          [&] {
            auto names = of_blocks(static_cast<std::size_t>(options.depth), "modulate");
            names.emplace_back("final_modulate");
            return names;
          }(),
          weights),
      plan_(std::make_unique<const kernels::cpu::Plan>(kernels::make_plan(options.size(shape)))),
      packed_(make_buffer(static_cast<std::size_t>(plan_->weight_floats))) {
  std::vector<kernels::LayerValues> layers{layer_of(weights, "patch")};
  for (int i = 0; i < options.depth; ++i) {
    for (const auto* part : {"qkv", "project", "expand", "contract"})
      layers.push_back(layer_of(weights, fmt::format("blocks.{}.{}", i, part)));
  }
  layers.push_back(layer_of(weights, "output"));
  kernels::pack_sit(*plan_, layers, weights.at("positions"), packed_.get(), 1);
}

void Sit::forward(const Query& query, float* psi, int threads) const {
  const auto modulation = modulation_.of(query, threads);
  with_beside(query, channels_, plan_->channels, static_cast<std::int64_t>(plan_->height) * plan_->width, psi,
              [&](const float* state, float* velocity) {
                kernels::forward_sit(*plan_, packed_.get(), {query.rows, state, modulation.data(), velocity},
                                     nullptr, kernels::threads_for(plan_->tokens, threads));
              });
}

double Sit::flops() const {
  double products = 2.0 * plan_->depth * plan_->tokens * plan_->dim;  // of the attention
  for (const auto& layer : kernels::flat_plans(*plan_)) products += static_cast<double>(layer.in) * layer.out;
  return 2 * products * plan_->tokens + modulation_.flops();
}

}  // namespace cvf::runtime

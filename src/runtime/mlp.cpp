// The network for vector states.
#include "kernels/forward.hpp"
#include "runtime/networks.hpp"

namespace cvf::runtime {
namespace {

std::vector<std::string> modulating(int depth) {
  std::vector<std::string> out;
  for (int i = 0; i < depth; ++i) out.push_back(fmt::format("blocks.{}.modulate", i));
  out.emplace_back("final_modulate");
  return out;
}

}  // namespace

Mlp::Mlp(const fields::StateShape& shape, const Options& options, const Weights& weights)
    : modulation_(shape, options.conditioned, modulating(options.depth), weights),
      layout_(std::make_unique<const kernels::MlpLayout>(options.size(shape))),
      packed_(kernels::make_buffer(static_cast<std::size_t>(layout_->plan().weight_floats))) {
  std::vector<kernels::LayerValues> layers{layer_of(weights, "input")};
  for (int i = 0; i < options.depth; ++i) {
    for (const auto* part : {"expand", "contract"})
      layers.push_back(layer_of(weights, fmt::format("blocks.{}.{}", i, part)));
  }
  layers.push_back(layer_of(weights, "output"));
  kernels::pack_mlp(*layout_, layers, packed_.get(), nullptr);
}

void Mlp::forward(const Query& query, float* psi, int threads) const {
  const auto modulation = modulation_.of(query, threads);
  kernels::forward_mlp(layout_->plan(), packed_.get(), {query.rows, query.state, modulation.data(), psi},
                       false, threads);
}

double Mlp::flops() const {
  double products = 0;
  for (const auto& layer : layout_->layers()) products += static_cast<double>(layer.in) * layer.out;
  return 2 * products + modulation_.flops();
}

}  // namespace cvf::runtime

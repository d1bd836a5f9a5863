// LibTorch's Function template takes a fixed number of tensors; the number of weights depends on the depth,
// so the node is written out.
#include "kernels/fused.hpp"

#include <algorithm>

namespace cvf::kernels {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

struct FusedNode : torch::autograd::Node {
  std::vector<torch::autograd::SavedVariable> inputs;  // state, modulation, weights
  std::shared_ptr<const FusedNetwork> network;
  Kept kept;

  std::string name() const override { return "FusedField"; }

  void release_variables() override {
    inputs.clear();
    kept.values.reset();
    network.reset();
  }

  variable_list unpacked() {
    TORCH_CHECK(kept.values.defined(), "this graph's backward pass has run already (retain_graph keeps it)");
    variable_list out;
    for (auto& saved : inputs) out.push_back(saved.unpack());
    return out;
  }

  // Gradients of gradients are asked for: the composed operations know how.
  variable_list differentiable(const variable_list& in, const Tensor& gradient) {
    variable_list asked, out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (task_should_compute_output(i)) asked.push_back(in[i]);
    }
    const Tensor velocity = network->composed(in[0], in[1], {in.begin() + 2, in.end()});
    const auto given = torch::autograd::grad({velocity}, asked, {gradient}, true, true, true);
    std::size_t next = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (task_should_compute_output(i)) out[i] = given[next++];
    }
    return out;
  }

  variable_list apply(variable_list&& gradients) override {
    const variable_list in = unpacked();
    if (!gradients[0].defined()) return variable_list(in.size());
    if (torch::GradMode::is_enabled()) return differentiable(in, gradients[0]);
    Wanted wanted{task_should_compute_output(0), task_should_compute_output(1), {}};
    for (std::size_t i = 2; i < in.size(); ++i) wanted.weights.push_back(task_should_compute_output(i));
    const std::vector<Tensor> weights(in.begin() + 2, in.end());
    auto out = network->backward(weights, in[0].contiguous(), in[1].contiguous(), kept,
                                 gradients[0].contiguous(), wanted);
    variable_list all{out.state, out.modulation};
    all.insert(all.end(), out.weights.begin(), out.weights.end());
    return all;
  }
};

}  // namespace

bool Wanted::any_weight() const {
  return std::find(weights.begin(), weights.end(), true) != weights.end();
}

std::vector<LayerPlaces> layer_places(const std::vector<Tensor>& flat) {
  const auto place = [](const Tensor& t) { return t.defined() ? t.data_ptr<float>() : nullptr; };
  std::vector<LayerPlaces> out;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) out.push_back({place(flat[i]), place(flat[i + 1])});
  return out;
}

std::vector<LayerValues> layer_values(const std::vector<Tensor>& flat) {
  std::vector<LayerValues> out;
  for (const auto& place : layer_places(flat)) out.push_back({place.weight, place.bias});
  return out;
}

Tensor evaluate_fused(std::shared_ptr<const FusedNetwork> network, const Tensor& state,
                      const Tensor& modulation, const std::vector<Tensor>& weights) {
  variable_list inputs{state, modulation};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  const bool learns =
      torch::GradMode::is_enabled() &&
      std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.requires_grad(); });
  if (!learns) return network->forward(state.contiguous(), modulation.contiguous(), nullptr);
  auto node = tensors::make_node<FusedNode>();
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  for (const auto& input : inputs) node->inputs.emplace_back(input, false);
  Tensor out;
  {
    torch::NoGradGuard no_grad;
    out = network->forward(state.detach().contiguous(), modulation.detach().contiguous(), &node->kept);
  }
  node->network = std::move(network);
  torch::autograd::create_gradient_edge(out, node);
  return out;
}

WeightStamps::Stamp WeightStamps::stamp(const Tensor& w) {
  return {w.data_ptr(), w.is_inference() ? 0u : static_cast<std::uint32_t>(w._version())};
}

WeightStamps::WeightStamps(const std::vector<Tensor>& weights) {
  for (const auto& w : weights) stamps_.push_back(stamp(w));
}

bool WeightStamps::are_of(const std::vector<Tensor>& weights) const {
  return std::equal(weights.begin(), weights.end(), stamps_.begin(), stamps_.end(),
                    [](const Tensor& w, const Stamp& s) { return stamp(w) == s; });
}

}  // namespace cvf::kernels

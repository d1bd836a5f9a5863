// The fused token stream as one node of the autograd graph. LibTorch's Function template takes a fixed number
// of tensors; the number of weights depends on the depth, so the node is written out.
#include "kernels/sit_engine.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

SitTrunk trunk_of(const SitTrunk& shape, const variable_list& inputs) {  // inputs: state, modulation, weights
  SitTrunk out = shape;
  std::size_t next = 2;
  const auto take = [&](Linear& l) {
    l.weight = inputs[next++];
    l.bias = inputs[next++];
  };
  take(out.patch);
  for (auto& b : out.blocks) {
    for (Linear* l : {&b.qkv, &b.project, &b.expand, &b.contract}) take(*l);
  }
  take(out.output);
  return out;
}

struct FusedSit : torch::autograd::Node {
  SitTrunk shape;  // its weights are undefined: they are among the inputs
  std::vector<torch::autograd::SavedVariable> inputs;
  std::shared_ptr<const PackedWeights> packed;
  Kept kept;

  std::string name() const override { return "FusedSit"; }

  void release_variables() override {
    inputs.clear();
    kept.values.reset();
    packed.reset();
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
    const Tensor velocity = composed_sit(trunk_of(shape, in), in[0], in[1]);
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
    auto out = run_backward(*packed, weights, in[0].contiguous(), in[1].contiguous(), kept,
                            gradients[0].contiguous(), wanted);
    variable_list all{out.state, out.modulation};
    all.insert(all.end(), out.weights.begin(), out.weights.end());
    return all;
  }
};

bool any_requires_grad(const variable_list& inputs) {
  for (const auto& t : inputs) {
    if (t.requires_grad()) return true;
  }
  return false;
}

// The node must hold the weights as saved variables only, so that a change in place is noticed.
SitTrunk without_weights(const SitTrunk& trunk) {
  SitTrunk out{trunk.size, {}, trunk.positions, std::vector<SitBlock>(trunk.blocks.size()), {}, {}};
  return out;
}

}  // namespace

Tensor fused_sit(const SitTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const auto weights = flat_weights(trunk);
  variable_list inputs{state, modulation};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  const auto packed = trunk.cache->get(trunk, weights);
  if (!torch::GradMode::is_enabled() || !any_requires_grad(inputs)) {
    return run_forward(*packed, state.contiguous(), modulation.contiguous(), nullptr);
  }
  auto node = std::shared_ptr<FusedSit>(new FusedSit, torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  node->shape = without_weights(trunk);
  node->packed = packed;
  for (const auto& input : inputs) node->inputs.emplace_back(input, false);
  Tensor out;
  {
    torch::NoGradGuard no_grad;
    out = run_forward(*packed, state.detach().contiguous(), modulation.detach().contiguous(), &node->kept);
  }
  torch::autograd::create_gradient_edge(out, node);
  return out;
}

}  // namespace cvf::kernels

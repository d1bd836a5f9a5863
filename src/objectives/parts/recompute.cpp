#include "objectives/parts/recompute.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

struct Recompute : torch::autograd::Node {
  std::function<Tensor(const Tensor&)> function;
  torch::autograd::SavedVariable input;
  variable_list parameters;

  std::string name() const override { return "Recompute"; }

  void release_variables() override { input.reset_data(); }

  variable_list apply(variable_list&& gradients) override {
    TORCH_CHECK(!torch::GradMode::is_enabled(), "a recomputed step can be differentiated once only");
    const torch::AutoGradMode grad_on(true);
    variable_list inputs{input.unpack().detach().requires_grad_()};
    const Tensor output = function(inputs[0]);
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    return torch::autograd::grad({output}, inputs, {gradients[0]}, false, false, true);
  }
};

}  // namespace

Tensor recomputed(const std::function<Tensor(const Tensor&)>& function, const Tensor& input,
                  const std::vector<Tensor>& parameters) {
  Tensor output;
  {
    const torch::NoGradGuard no_grad;
    output = function(input.detach());
  }
  if (!torch::GradMode::is_enabled()) return output;
  auto node = std::shared_ptr<Recompute>(new Recompute, torch::autograd::deleteNode);
  node->function = function;
  node->input = torch::autograd::SavedVariable(input, false);
  for (const auto& p : parameters) {
    if (p.requires_grad()) node->parameters.push_back(p);
  }
  variable_list sources{input};
  sources.insert(sources.end(), node->parameters.begin(), node->parameters.end());
  node->set_next_edges(torch::autograd::collect_next_edges(sources));
  torch::autograd::create_gradient_edge(output, node);
  return output;
}

}  // namespace cvf::objectives

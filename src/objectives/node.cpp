// Neural ODE: integrate ds~/dt = den(psi(s~)) over the interval with fixed RK4 steps, regress the secant that
// results, and differentiate through the solver. `recompute` keeps one state for each RK4 step instead of all
// four evaluations and pays a second forward pass; field and normalizer must outlive the backward pass.
//   mean (psi_mean - v~)^2, psi_mean the mean of psi over the steps and stages
#include <functional>

#include "objectives/parts/shared.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Memory for time: a function whose intermediate values are not kept for the backward pass but computed
// again.
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

// function(input), differentiable once with respect to the input and the parameters that it uses. The
// function must still be callable, and the parameters unchanged, when the backward pass runs.
Tensor recomputed(const std::function<Tensor(const Tensor&)>& function, const Tensor& input,
                  const std::vector<Tensor>& parameters) {
  Tensor output;
  {
    const torch::NoGradGuard no_grad;
    output = function(input.detach());
  }
  if (!torch::GradMode::is_enabled()) return output;
  auto node = tensors::make_node<Recompute>();
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

// k1 = psi(s), k2 = psi(s + h/2 den(k1)), k3 = psi(s + h/2 den(k2)), k4 = psi(s + h den(k3)):
// (k1 + 2 k2 + 2 k3 + k4)/6. `step` is what the field is shown, the same in all stages; the context is that
// of each stage's own time.
torch::Tensor rk4_mean(const ScaledField& field, const torch::Tensor& s, const torch::Tensor& h,
                       const torch::Tensor& step, const fields::Interval& interval,
                       const torch::Tensor& begin) {
  const auto at = [&](double share) { return interval.part(begin + share * h, begin + share * h); };
  const fields::Context middle = at(0.5);
  const torch::Tensor k1 = field.psi({s, step, at(0)});
  const torch::Tensor k2 = field.psi({field.advance(s, h / 2, k1), step, middle});
  const torch::Tensor k3 = field.psi({field.advance(s, h / 2, k2), step, middle});
  const torch::Tensor k4 = field.psi({field.advance(s, h, k3), step, at(1)});
  return (k1 + 2 * (k2 + k3) + k4) / 6;
}

class NeuralOde : public Objective {
 public:
  struct Options {
    int steps = 1;  // RK4 steps an interval
    bool recompute = false;
    bool conditioned = false;

    void describe(config::Section& s) {
      s.key("steps", &steps, "RK4 steps an interval", config::at_least(1));
      s.key("recompute", &recompute, "bound the memory: run every step again in the backward pass");
      describe_conditioned(s, conditioned);
    }
  };

  explicit NeuralOde(const Options& options) : options_(options) {}

  Needs needs() const override {
    return {2, Spline::none, options_.conditioned, options_.recompute ? 4.0 : 4.0 * options_.steps};
  }

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws&) const override {
    const Tensor dt = batch.step(0), h = dt / options_.steps, step = shown(options_.conditioned, dt);
    const auto interval = batch.interval(0);
    // den is affine and the weights of the stages sum to 1, so the secant in units of psi is the mean of psi:
    // no difference of nearby states is taken.
    Tensor s = batch.state(0), sum;
    for (int i = 0; i < options_.steps; ++i) {
      // By value: recomputation calls it when this function has returned.
      const auto mean_psi = [field, h, step, interval, begin = h * i](const Tensor& from) {
        return rk4_mean(field, from, h, step, interval, begin);
      };
      const Tensor psi = options_.recompute ? recomputed(mean_psi, s, field.field.parameters()) : mean_psi(s);
      sum = sum.defined() ? sum + psi : psi;
      if (i + 1 < options_.steps) s = field.advance(s, h, psi);
    }
    Losses out;
    out.add("secant", 1,
            (sum / options_.steps - field.target(batch.state(0), batch.state(1), dt)).square().mean());
    return out;
  }

 private:
  Options options_;
};

}  // namespace

std::unique_ptr<Settings> node_settings() {
  return settings_of<NeuralOde, Settings>();
}

}  // namespace cvf::objectives

#include <omp.h>

#include <algorithm>

#include "kernels/batch.hpp"
#include "kernels/cpu_choice.hpp"
#include "kernels/dense_layer.hpp"
#include "kernels/layer_hook.hpp"
#include "kernels/sit.hpp"

namespace cvf::kernels {
namespace {

using cpu::panel;
using torch::Tensor;
using torch::autograd::variable_list;

constexpr std::int64_t few_rows = 16;  // for fewer, packing costs more than the product
constexpr double shared_flops = 2e6;   // from here on a second thread pays

Panels as_panels(const Tensor& x) {
  Panels out(x.size(0), x.size(1));
  out.fill(x.data_ptr<float>(), 0, out.rows);
  return out;
}

Tensor forward_of(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const DenseLayer layer({weight.data_ptr<float>(), bias.data_ptr<float>()}, weight.size(1), weight.size(0));
  Tensor out = torch::empty({x.size(0), weight.size(0)});
  layer.forward(x.data_ptr<float>(), x.size(0), out.data_ptr<float>(), weight.size(0), omp_get_max_threads());
  return out;
}

struct DenseNode : torch::autograd::Node {
  torch::autograd::SavedVariable x, weight;

  std::string name() const override { return "OurLinear"; }
  void release_variables() override {
    x.reset_data();
    weight.reset_data();
  }

  variable_list apply(variable_list&& gradients) override {
    const Tensor in = x.unpack(), w = weight.unpack();
    variable_list out(3);
    if (!gradients[0].defined()) return out;
    if (torch::GradMode::is_enabled()) {  // gradients of gradients
      if (task_should_compute_output(0)) out[0] = at::matmul(gradients[0], w);
      if (task_should_compute_output(1)) out[1] = at::matmul(gradients[0].t(), in);
      if (task_should_compute_output(2)) out[2] = gradients[0].sum(0);
      return out;
    }
    const Tensor given = gradients[0].contiguous();
    const Panels dy = as_panels(given);
    if (task_should_compute_output(0)) {
      // The rows of the transposed matrix are the columns of w: panels of 16 of them as they lie.
      const long floats = static_cast<long>(panels(w.size(0))) * panel * panel;
      Buffer turned = make_buffer(static_cast<std::size_t>(panels(w.size(1)) * floats));
      std::fill_n(turned.get(), panels(w.size(1)) * floats, 0.0f);
      cpu_kernels().to_panels(w.data_ptr<float>(), w.size(1), 0, static_cast<int>(w.size(0)),
                              static_cast<int>(w.size(1)), turned.get(), floats);
      out[0] = torch::empty({dy.rows, w.size(1)});
      product_of(dy, turned.get(), nullptr, w.size(1), out[0].data_ptr<float>(), w.size(1),
                 omp_get_max_threads());
    }
    if (task_should_compute_output(1) || task_should_compute_output(2)) weight_gradient(in, dy, w, out);
    return out;
  }

  static void weight_gradient(const Tensor& in, const Panels& dy, const Tensor& w, variable_list& out) {
    const Panels x = as_panels(in.contiguous());
    const int in_panels = panels(w.size(1)), out_panels = panels(w.size(0));
    const long floats = static_cast<long>(in_panels) * panel * panel;
    Buffer dw = make_buffer(static_cast<std::size_t>(out_panels * floats));
    Buffer sums = make_buffer(static_cast<std::size_t>(out_panels * panel));
    out[1] = torch::empty_like(w);
    out[2] = torch::empty({w.size(0)});
    float* to = out[1].data_ptr<float>();
    const int columns = static_cast<int>(w.size(1));
    const int pairs = (out_panels + 1) / 2;
#pragma omp parallel for schedule(static) if (2.0 * dy.rows * w.numel() > shared_flops && pairs > 1)
    for (int i = 0; i < pairs; ++i) {
      const int begin = 2 * i, end = std::min(out_panels, begin + 2);
      cpu_kernels().dense_gradient(x.values.get(), dy.values.get(), x.stride, in_panels, begin, end, dy.rows,
                                   dw.get(), sums.get());
      for (int j = begin; j < end; ++j) {
        const int rows = std::min(panel, static_cast<int>(w.size(0)) - j * panel);
        cpu_kernels().transpose(dw.get() + j * floats, panel, columns, rows,
                                to + static_cast<long>(j) * panel * columns, columns);
      }
    }
    std::copy_n(sums.get(), w.size(0), out[2].data_ptr<float>());
  }
};

bool applies(const Tensor& x, const Linear& l, Engine engine) {
  return engine == Engine::automatic && !LayerHook::active() && x.dim() == 2 && x.size(0) >= few_rows &&
         l.weight.numel() >= 256 && is_plain_float(x) && is_dense_float(l.weight) && is_dense_float(l.bias);
}

}  // namespace

Tensor linear(const Tensor& x, const Linear& l, Engine engine) {
  if (!applies(x, l, engine)) return at::linear(x, l.weight, l.bias);
  const bool learns = torch::GradMode::is_enabled() &&
                      (x.requires_grad() || l.weight.requires_grad() || l.bias.requires_grad());
  if (!learns) return forward_of(x.contiguous(), l.weight, l.bias);
  auto node = tensors::make_node<DenseNode>();
  node->set_next_edges(torch::autograd::collect_next_edges(x, l.weight, l.bias));
  const Tensor dense_x = x.contiguous();
  node->x = torch::autograd::SavedVariable(dense_x, false);
  node->weight = torch::autograd::SavedVariable(l.weight, false);
  Tensor out;
  {
    torch::NoGradGuard no_grad;
    out = forward_of(dense_x.detach(), l.weight, l.bias);
  }
  torch::autograd::create_gradient_edge(out, node);
  return out;
}

}  // namespace cvf::kernels

// The reference: the fused convolution field is tested against this one.
#include "kernels/conv.hpp"
#include "kernels/layer_hook.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

// s [B,C,H,W] -> [B,C*py*px,H/py,W/px], the channels of a cell ordered (channel, py, px)
Tensor to_cells(const ConvSize& z, const Tensor& s) {
  if (z.patch_y == 1 && z.patch_x == 1) return s;
  const auto rows = s.size(2) / z.patch_y, columns = s.size(3) / z.patch_x;
  return s.reshape({s.size(0), z.channels, rows, z.patch_y, columns, z.patch_x})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({s.size(0), z.inputs(), rows, columns});
}

Tensor from_cells(const ConvSize& z, const Tensor& cells) {
  if (z.patch_y == 1 && z.patch_x == 1) return cells;
  const auto rows = cells.size(2), columns = cells.size(3);
  return cells.reshape({cells.size(0), z.channels, z.patch_y, z.patch_x, rows, columns})
      .permute({0, 1, 4, 2, 5, 3})
      .reshape({cells.size(0), z.channels, rows * z.patch_y, columns * z.patch_x});
}

Tensor padded(const Tensor& x, int dim, std::int64_t reach, const AxisBoundary& axis) {
  const std::int64_t n = x.size(dim);
  const Tensor places = torch::empty({n + 2 * reach}, torch::kLong);
  for (std::int64_t i = 0; i < places.numel(); ++i)
    places.data_ptr<std::int64_t>()[i] = source_cell(i - reach, n, axis);
  return x.index_select(dim, places.to(x.device()));
}

Tensor convolution(const ConvSize& z, const Tensor& x, const Linear& l, std::int64_t dilation) {
  Tensor wide = padded(x, 3, dilation, z.boundary_x);
  if (!z.along_x) wide = padded(wide, 2, dilation, z.boundary_y);
  return at::conv2d(wide, l.weight, l.bias, {1, 1}, at::IntArrayRef{0, 0}, {dilation, dilation});
}

Tensor activation(const ConvSize& z, const Tensor& x) {
  return z.silu ? at::silu(x) : at::gelu(x, "tanh");
}

}  // namespace

Tensor composed_conv(const ConvTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const ConvSize& z = trunk.size;
  const auto blocks = static_cast<std::int64_t>(trunk.blocks.size());
  const auto m = modulation.view({state.size(0), 3 * blocks, z.dim, 1, 1}).unbind(1);
  Tensor x = hooked("lift", convolution(z, to_cells(z, state), trunk.lift, 1));
  for (std::size_t i = 0; i < trunk.blocks.size(); ++i) {
    const auto& block = trunk.blocks[i];
    const Tensor h = convolution(z, x, block.spatial, z.dilations[i]);
    const Tensor g = activation(z, h * (1 + m[3 * i + 1]) + m[3 * i]);
    const Tensor mixed = at::conv2d(g, block.mix.weight.unsqueeze(-1).unsqueeze(-1), block.mix.bias);
    x = hooked("blocks", i, x + (1 + m[3 * i + 2]) * mixed);
  }
  return from_cells(z, hooked("output", convolution(z, activation(z, x), trunk.output, 1)));
}

double forward_flops(const ConvSize& z, std::int64_t height, std::int64_t width) {
  const double cells = static_cast<double>(height / z.patch_y * (width / z.patch_x));
  const double d = static_cast<double>(z.dim), taps = static_cast<double>(z.taps());
  const double edges = 2 * taps * static_cast<double>(z.inputs()) * d;
  return 2 * cells * (edges + static_cast<double>(z.dilations.size()) * (taps + 1) * d * d);
}

}  // namespace cvf::kernels

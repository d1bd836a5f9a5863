// The reference: every other implementation of the token stream is tested against this one.
#include <cmath>

#include "kernels/layer_hook.hpp"
#include "kernels/sit.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

Tensor linear(const Tensor& x, const Linear& l) {
  return at::linear(x, l.weight, l.bias);
}

// s [B,C,H,W] -> tokens [B,N,C*p*p], a token's values ordered (channel, py, px)
Tensor to_patches(const SitSize& z, const Tensor& s) {
  const auto rows = z.height / z.patch, columns = z.width / z.patch;
  return s.reshape({s.size(0), z.channels, rows, z.patch, columns, z.patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({s.size(0), z.tokens(), z.patch_values()});
}

Tensor from_patches(const SitSize& z, const Tensor& tokens) {
  const auto rows = z.height / z.patch, columns = z.width / z.patch;
  return tokens.reshape({tokens.size(0), rows, columns, z.channels, z.patch, z.patch})
      .permute({0, 3, 1, 4, 2, 5})
      .reshape({tokens.size(0), z.channels, z.height, z.width});
}

Tensor self_attention(const SitSize& z, const SitBlock& block, const Tensor& h) {
  const auto parts = linear(h, block.qkv)
                         .view({h.size(0), h.size(1), 3, z.heads, z.head_dim()})
                         .permute({2, 0, 3, 1, 4})
                         .unbind(0);
  const Tensor out = attention(parts[0], parts[1], parts[2]);  // [B,heads,N,head_dim]
  return linear(out.transpose(1, 2).reshape_as(h), block.project);
}

// x [B,N,D], m: six tensors [B,1,D]
Tensor run_block(const SitSize& z, const SitBlock& block, const Tensor& x, const std::vector<Tensor>& m) {
  const Tensor middle = x + m[2] * self_attention(z, block, modulated_norm(x, m[0], m[1]));
  const Tensor hidden = at::gelu(linear(modulated_norm(middle, m[3], m[4]), block.expand), "tanh");
  return middle + m[5] * linear(hidden, block.contract);
}

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v) {
#if CVF_TORCH_HAS_SDPA
  if (!q.is_cpu()) return at::scaled_dot_product_attention(q, k, v);  // has no gradients of gradients
#endif
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  return at::matmul(at::softmax(at::matmul(q * scale, k.transpose(-2, -1)), -1), v);
}

Tensor modulated_norm(const Tensor& x, const Tensor& shift, const Tensor& scale) {
  return at::layer_norm(x, {x.size(-1)}, {}, {}, 1e-6) * (1 + scale) + shift;
}

Tensor composed_sit(const SitTrunk& trunk, const Tensor& state, const Tensor& modulation) {
  const SitSize& z = trunk.size;
  const auto m = modulation.view({state.size(0), z.depth * 6 + 2, 1, z.dim}).unbind(1);
  Tensor x = hooked("patch", linear(to_patches(z, state), trunk.patch) + trunk.positions);
  for (std::size_t i = 0; i < trunk.blocks.size(); ++i) {
    const auto first = m.begin() + static_cast<std::ptrdiff_t>(6 * i);
    x = hooked("blocks", i, run_block(z, trunk.blocks[i], x, {first, first + 6}));
  }
  const Tensor last = linear(modulated_norm(x, m[m.size() - 2], m[m.size() - 1]), trunk.output);
  return from_patches(z, hooked("output", last));
}

double forward_flops(const SitSize& z) {
  const double n = static_cast<double>(z.tokens()), d = static_cast<double>(z.dim);
  const double edges = 2 * 2 * n * static_cast<double>(z.patch_values()) * d;  // into and out of the stream
  return edges + static_cast<double>(z.depth) * (24 * n * d * d + 4 * n * n * d);
}

}  // namespace cvf::kernels

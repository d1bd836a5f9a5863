#include <algorithm>
#include <array>

#include "kernels/conv_plan.hpp"
#include "kernels/packing.hpp"

namespace cvf::kernels {
namespace {

using cpu::panel;

// visit(place in the tensor, row of the packed matrix (in), its column (out)) for every weight of a layer
template <class Visit>
void for_weights(const TapLayer& l, const Visit& visit) {
  long at = 0;
  for (int o = 0; o < l.out; ++o) {
    for (int i = 0; i < l.in; ++i) {
      for (int t = 0; t < l.taps; ++t, ++at) {
        if (l.taps_on_out_side) {
          visit(at, i, t * l.out + o);
        } else {
          visit(at, t * l.in_padded + i, o);
        }
      }
    }
  }
}

long packed_place(const cpu::LinearPlan& l, int in, int out) {
  return l.weight + (static_cast<long>(out / panel) * l.in_panels * panel + in) * panel + out % panel;
}
long transposed_place(const cpu::LinearPlan& l, int in, int out) {
  return l.transposed + (static_cast<long>(in / panel) * l.out_panels * panel + out) * panel + in % panel;
}

// Winograd's kernels (cpu/winograd.hpp): G along one axis, and its transpose for gradients.
std::array<double, 4> to_positions(double first, double middle, double last) {
  const double outer = (first + last) / 2, inner = middle / 2;
  return {first, outer + inner, outer - inner, last};
}
std::array<double, 3> to_taps(double a, double b, double c, double d) {
  const double sum = (b + c) / 2, difference = (b - c) / 2;
  return {a + sum, difference, sum + d};
}

// A panel by a panel of a layer's kernels: all positions of each. Between them and the packed matrices whole
// rows are copied, because the matrices of the positions are a power of two apart and would drive each other
// out of the cache.
struct KernelBlock {
  static constexpr std::size_t positions = cpu::winograd_positions;
  float value[positions][panel][panel];  // position, in, out
};

// visit(first in, first out) of each block of kernels
template <class Visit>
void for_blocks(const cpu::ConvPlan& plan, const Visit& visit) {
  for (int out = 0; out < plan.dim; out += panel) {
    for (int in = 0; in < plan.dim; in += panel) visit(in, out);
  }
}

// visit(the first tap of a kernel in the tensor, its in and out within the block)
template <class Visit>
void for_kernels(const cpu::ConvPlan& plan, int first_in, int first_out, const Visit& visit) {
  for (int out = first_out; out < std::min(plan.dim, first_out + panel); ++out) {
    for (int in = first_in; in < std::min(plan.dim, first_in + panel); ++in)
      visit((static_cast<long>(out) * plan.dim + in) * 9, in - first_in, out - first_out);
  }
}

void pack_winograd(const cpu::ConvPlan& plan, const cpu::LinearPlan& l, const float* weight, float* packed,
                   float* transposed) {
  for_blocks(plan, [&](int first_in, int first_out) {
    KernelBlock block{};
    for_kernels(plan, first_in, first_out, [&](long at, int in, int out) {
      const float* taps = weight + at;
      std::array<double, 4> columns[3];
      for (int x = 0; x < 3; ++x) columns[x] = to_positions(taps[x], taps[3 + x], taps[6 + x]);
      for (std::size_t n = 0; n < 4; ++n) {
        const auto line = to_positions(columns[0][n], columns[1][n], columns[2][n]);
        for (std::size_t k = 0; k < 4; ++k) block.value[4 * n + k][in][out] = static_cast<float>(line[k]);
      }
    });
    for (std::size_t n = 0; n < KernelBlock::positions; ++n) {
      const auto& values = block.value[n];
      const long position = static_cast<long>(n) * plan.matrix;
      std::copy_n(&values[0][0], panel * panel, packed + packed_place(l, first_in, first_out) + position);
      if (transposed == nullptr) continue;
      float* to = transposed + transposed_place(l, first_in, first_out) + position;
      for (int out = 0; out < panel; ++out) {
        for (int in = 0; in < panel; ++in) *to++ = values[in][out];
      }
    }
  });
}

void unpack_winograd(const cpu::ConvPlan& plan, const cpu::LinearPlan& l, const float* sum, float* weight) {
  for_blocks(plan, [&](int first_in, int first_out) {
    KernelBlock block;
    for (std::size_t n = 0; n < KernelBlock::positions; ++n)
      std::copy_n(sum + packed_place(l, first_in, first_out) + static_cast<long>(n) * plan.matrix,
                  panel * panel, &block.value[n][0][0]);
    for_kernels(plan, first_in, first_out, [&](long at, int in, int out) {
      const auto value = [&](std::size_t position) { return block.value[position][in][out]; };
      std::array<double, 3> lines[4];
      for (std::size_t n = 0; n < 4; ++n)
        lines[n] = to_taps(value(4 * n), value(4 * n + 1), value(4 * n + 2), value(4 * n + 3));
      for (std::size_t x = 0; x < 3; ++x) {
        const auto column = to_taps(lines[0][x], lines[1][x], lines[2][x], lines[3][x]);
        for (std::size_t y = 0; y < 3; ++y)
          weight[at + static_cast<long>(3 * y + x)] = static_cast<float>(column[y]);
      }
    });
  });
}

// Of a layer in the order of tap_layers: the block whose spatial convolution it is, or null.
const cpu::ConvBlockPlan* spatial_block(const cpu::ConvPlan& plan, std::size_t layer) {
  return layer % 2 == 1 && layer < 2 * static_cast<std::size_t>(plan.blocks) ? &plan.block[layer / 2]
                                                                             : nullptr;
}

}  // namespace

void pack_conv(const cpu::ConvPlan& plan, std::span<const LayerValues> layers, float* packed,
               float* transposed) {
  std::fill_n(packed, plan.weight_floats, 0.0f);
  if (transposed != nullptr) std::fill_n(transposed, plan.transposed_floats, 0.0f);
  const auto taps = tap_layers(plan);
  for (std::size_t n = 0; n < taps.size(); ++n) {
    const auto& l = taps[n];
    for_weights(l, [&](long at, int in, int out) {
      packed[packed_place(l.plan, in, out)] = layers[n].weight[at];
      if (transposed != nullptr) transposed[transposed_place(l.plan, in, out)] = layers[n].weight[at];
    });
    std::copy_n(layers[n].bias, l.out, packed + l.plan.bias);
    if (const auto* block = spatial_block(plan, n); block != nullptr && l.taps == 9)
      pack_winograd(plan, block->winograd, layers[n].weight, packed, transposed);
  }
}

void unpack_conv(const cpu::ConvPlan& plan, const float* sum, std::span<const LayerPlaces> layers) {
  const auto taps = tap_layers(plan);
  for (std::size_t n = 0; n < taps.size(); ++n) {
    const auto& l = taps[n];
    float* to = layers[n].weight;
    if (const auto* block = spatial_block(plan, n); to != nullptr && block != nullptr && block->tiled) {
      unpack_winograd(plan, block->winograd, sum, to);
    } else if (to != nullptr) {
      for_weights(l, [&](long at, int in, int out) { to[at] = sum[packed_place(l.plan, in, out)]; });
    }
    if (layers[n].bias != nullptr) std::copy_n(sum + l.plan.bias, l.out, layers[n].bias);
  }
}

}  // namespace cvf::kernels

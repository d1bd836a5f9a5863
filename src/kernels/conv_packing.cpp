#include <algorithm>

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
  }
}

void unpack_conv(const cpu::ConvPlan& plan, const float* sum, std::span<const LayerPlaces> layers) {
  const auto taps = tap_layers(plan);
  for (std::size_t n = 0; n < taps.size(); ++n) {
    const auto& l = taps[n];
    float* to = layers[n].weight;
    if (to != nullptr)
      for_weights(l, [&](long at, int in, int out) { to[at] = sum[packed_place(l.plan, in, out)]; });
    if (layers[n].bias != nullptr) std::copy_n(sum + l.plan.bias, l.out, layers[n].bias);
  }
}

}  // namespace cvf::kernels

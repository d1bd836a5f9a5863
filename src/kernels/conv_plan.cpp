#include "kernels/conv_plan.hpp"

#include "kernels/memory.hpp"

namespace cvf::kernels {

using cpu::panel;

std::int64_t source_cell(std::int64_t i, std::int64_t n, const AxisBoundary& axis) {
  while (i < 0 || i >= n) {
    const Boundary side = i < 0 ? axis.low : axis.high;
    const std::int64_t edge = i < 0 ? 0 : n - 1;
    if (side == Boundary::periodic) return (i % n + n) % n;
    if (side != Boundary::wall) return edge;
    i = 2 * edge - i + (i < 0 ? -1 : 1);  // the wall stands half a cell beyond the centre of the last one
  }
  return i;
}

int* ConvLayout::table(std::size_t entries) {
  return tables_.emplace_back(entries).data();
}

cpu::TapMap ConvLayout::tap_map(const ConvSize& z, int dilation) {
  const auto lines = static_cast<std::size_t>(plan_.lines),
             tap_lines = static_cast<std::size_t>(plan_.tap_lines);
  const auto reach = static_cast<std::size_t>(dilation);
  int *of_line = table(tap_lines * lines), *low = table(reach), *high = table(reach);
  int *first = table(lines + 1), *readers = table(tap_lines * lines), *reader_taps = table(tap_lines * lines);
  for (int tap = 0; tap < plan_.tap_lines; ++tap) {
    for (int line = 0; line < plan_.lines; ++line) {
      const int shift = plan_.tap_lines == 1 ? 0 : (tap - 1) * dilation;
      of_line[tap * plan_.lines + line] =
          static_cast<int>(source_cell(line + shift, plan_.lines, z.boundary_y));
    }
  }
  for (int i = 0; i < dilation; ++i) {
    low[i] = static_cast<int>(source_cell(i - dilation, plan_.columns, z.boundary_x));
    high[i] = static_cast<int>(source_cell(plan_.columns + i, plan_.columns, z.boundary_x));
  }
  int next = 0;
  for (int line = 0; line < plan_.lines; ++line) {
    first[line] = next;
    for (int tap = 0; tap < plan_.tap_lines; ++tap) {
      for (int reader = 0; reader < plan_.lines; ++reader) {
        if (of_line[tap * plan_.lines + reader] != line) continue;
        readers[next] = reader;
        reader_taps[next++] = tap;
      }
    }
  }
  first[lines] = next;
  return {dilation, of_line, low, high, first, readers, reader_taps};
}

ConvLayout::ConvLayout(const ConvSize& z, std::int64_t height, std::int64_t width) {
  plan_.channels = static_cast<int>(z.channels);
  plan_.height = static_cast<int>(height), plan_.width = static_cast<int>(width);
  plan_.patch_y = static_cast<int>(z.patch_y), plan_.patch_x = static_cast<int>(z.patch_x);
  plan_.lines = static_cast<int>(height / z.patch_y), plan_.columns = static_cast<int>(width / z.patch_x);
  plan_.cells = plan_.lines * plan_.columns;
  plan_.inputs = static_cast<int>(z.inputs());
  plan_.taps = static_cast<int>(z.taps()), plan_.tap_lines = plan_.taps / 3;
  plan_.dim = static_cast<int>(z.dim), plan_.dim_panels = panels(z.dim);
  plan_.matrix = static_cast<long>(plan_.dim_panels) * plan_.dim_panels * panel * panel;
  plan_.blocks = static_cast<int>(z.dilations.size());
  plan_.activation = z.silu ? cpu::silu : cpu::gelu_tanh;
  plan_.wraps = z.boundary_x.low == Boundary::periodic;
  plan_.stride = (static_cast<long>(plan_.cells) | 1) * panel;
  plan_.lift = place(z.taps() * z.inputs(), z.dim, plan_);
  for (int i = 0; i < plan_.blocks; ++i) {
    auto& b = plan_.block[i];
    b.spatial = place(z.taps() * plan_.dim_panels * panel, z.dim, plan_);
    b.mix = place(z.dim, z.dim, plan_);
    for (int n = 0; n < cpu::winograd_positions && z.taps() == 9; ++n) {
      const auto of_position = place_matrix(z.dim, z.dim, plan_);
      if (n == 0) b.winograd = of_position;
    }
    b.map = tap_map(z, static_cast<int>(z.dilations[static_cast<std::size_t>(i)]));
    b.tiled = z.winograd && z.taps() == 9 && plan_.lines % (2 * b.map.dilation) == 0 &&
              plan_.columns % (2 * b.map.dilation) == 0;
  }
  plan_.output = place(z.dim, z.taps() * z.inputs(), plan_);

  plan_.near = tap_map(z, 1);
}

cpu::ConvKeepPlan ConvLayout::keep() const {
  cpu::ConvKeepPlan out{};
  const long matrix = plan_.dim_panels * plan_.stride;
  for (int i = 0; i < plan_.blocks; ++i) out.h[i] = i * matrix;
  out.x = plan_.blocks * matrix;
  out.sample = out.x + matrix;
  return out;
}

std::vector<TapLayer> tap_layers(const cpu::ConvPlan& plan) {
  std::vector<TapLayer> out{{plan.lift, plan.inputs, plan.dim, plan.taps, plan.inputs, false}};
  for (int i = 0; i < plan.blocks; ++i) {
    out.push_back({plan.block[i].spatial, plan.dim, plan.dim, plan.taps, plan.dim_panels * panel, false});
    out.push_back({plan.block[i].mix, plan.dim, plan.dim, 1, plan.dim, false});
  }
  out.push_back({plan.output, plan.dim, plan.inputs, plan.taps, plan.dim, true});
  return out;
}

}  // namespace cvf::kernels

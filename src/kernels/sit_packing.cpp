#include <algorithm>

#include "kernels/cpu_choice.hpp"
#include "kernels/packing.hpp"
#include "kernels/sit_plan.hpp"

namespace cvf::kernels {
namespace {

using cpu::LinearPlan;
using cpu::panel;

struct Piece {  // one panel of one linear layer: what threads share out
  std::size_t layer;
  int panel;
};

std::vector<Piece> pieces_of(const std::vector<LinearPlan>& plans, int LinearPlan::*panels) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (int j = 0; j < plans[i].*panels; ++j) out.push_back({i, j});
  }
  return out;
}

template <class Work>
void for_pieces(const std::vector<Piece>& pieces, int threads, const Work& work) {
  const auto count = static_cast<long>(pieces.size());
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (long i = 0; i < count; ++i) work(pieces[static_cast<std::size_t>(i)]);
}

// 16 rows of w [out,in] become the 16 columns of a panel [in][16]; missing rows and columns are 0.
void pack_panel(const LinearPlan& l, int j, const float* weight, const float* bias, float* packed) {
  const long floats = static_cast<long>(l.in_panels) * panel * panel;
  float *to = packed + l.weight + j * floats, *to_bias = packed + l.bias + j * panel;
  const int rows = std::min(panel, l.out - j * panel);
  if (rows < panel || l.in % panel != 0) std::fill(to, to + floats, 0.0f);
  std::fill(to_bias, to_bias + panel, 0.0f);
  std::copy_n(bias + j * panel, rows, to_bias);
  cpu_kernels().transpose(weight + static_cast<long>(j) * panel * l.in, l.in, rows, l.in, to, panel);
}

// 16 columns of w [out,in] as a panel [out][16]
void pack_transposed(const LinearPlan& l, int p, const float* weight, float* packed) {
  const long rows = static_cast<long>(l.out_panels) * panel;
  float* to = packed + l.transposed + p * rows * panel;
  const int columns = std::min(panel, l.in - p * panel);
  if (columns < panel || l.out % panel != 0) std::fill(to, to + rows * panel, 0.0f);
  for (int o = 0; o < l.out; ++o) {
    std::copy_n(weight + static_cast<long>(o) * l.in + p * panel, columns, to + static_cast<long>(o) * panel);
  }
}

void pack_positions(const cpu::Plan& plan, const float* from, float* packed) {
  float* to = packed + plan.positions;
  std::fill(to, to + plan.dim_panels * plan.stride, 0.0f);
  for (int t = 0; t < plan.tokens; ++t) {
    for (int c = 0; c < plan.dim; ++c)
      to[c / panel * plan.stride + t * panel + c % panel] = from[t * plan.dim + c];
  }
}

// The sum over `parts` of `count` floats at `at`, in `workspace` when there is anything to add.
const float* summed(const std::vector<const float*>& parts, long at, long count, float* workspace) {
  if (parts.size() == 1) return parts[0] + at;
  std::copy_n(parts[0] + at, count, workspace);
  for (std::size_t i = 1; i < parts.size(); ++i) cpu_kernels().add(parts[i] + at, count, workspace);
  return workspace;
}

void unpack_panel(const LinearPlan& l, int j, const std::vector<const float*>& parts, float* weight,
                  float* bias) {
  const long floats = static_cast<long>(l.in_panels) * panel * panel;
  const int rows = std::min(panel, l.out - j * panel);
  thread_local std::vector<float> workspace;
  workspace.resize(static_cast<std::size_t>(floats));
  if (bias != nullptr)
    std::copy_n(summed(parts, l.bias + j * panel, panel, workspace.data()), rows, bias + j * panel);
  if (weight == nullptr) return;
  const float* total = summed(parts, l.weight + j * floats, floats, workspace.data());
  cpu_kernels().transpose(total, panel, l.in, rows, weight + static_cast<long>(j) * panel * l.in, l.in);
}

}  // namespace

void pack_layer(const LinearPlan& plan, const LayerValues& layer, float* packed) {
  for (int j = 0; j < plan.out_panels; ++j) pack_panel(plan, j, layer.weight, layer.bias, packed);
}

void pack_layer_transposed(const LinearPlan& plan, const LayerValues& layer, float* transposed) {
  for (int p = 0; p < plan.in_panels; ++p) pack_transposed(plan, p, layer.weight, transposed);
}

void unpack_layer(const LinearPlan& plan, const float* sum, const LayerPlaces& layer) {
  for (int j = 0; j < plan.out_panels; ++j) unpack_panel(plan, j, {sum}, layer.weight, layer.bias);
}

void pack_sit(const cpu::Plan& plan, std::span<const LayerValues> layers, const float* positions,
              float* packed, int threads) {
  const auto plans = flat_plans(plan);
  for_pieces(pieces_of(plans, &LinearPlan::out_panels), threads, [&](const Piece& piece) {
    const LayerValues& layer = layers[piece.layer];
    pack_panel(plans[piece.layer], piece.panel, layer.weight, layer.bias, packed);
  });
  pack_positions(plan, positions, packed);
}

void pack_sit_transposed(const cpu::Plan& plan, std::span<const LayerValues> layers, float* transposed,
                         int threads) {
  const auto plans = flat_plans(plan);
  for_pieces(pieces_of(plans, &LinearPlan::in_panels), threads, [&](const Piece& piece) {
    pack_transposed(plans[piece.layer], piece.panel, layers[piece.layer].weight, transposed);
  });
}

void unpack_sit(const cpu::Plan& plan, const std::vector<const float*>& parts,
                std::span<const LayerPlaces> layers, int threads) {
  const auto plans = flat_plans(plan);
  for_pieces(pieces_of(plans, &LinearPlan::out_panels), threads, [&](const Piece& piece) {
    const LayerPlaces& to = layers[piece.layer];
    unpack_panel(plans[piece.layer], piece.panel, parts, to.weight, to.bias);
  });
}

}  // namespace cvf::kernels

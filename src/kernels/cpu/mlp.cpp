// The network for vector states, forward and backward, for the rows of a turn.
#include "kernels/cpu/mlp.hpp"

#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/gradients.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

void to_rows(ConstMatrix x, int columns, int rows, float* to, long step) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) to[r * step + c] = x.at(c / panel, r)[c % panel];
  }
}

void clear(Matrix x, int panels, int rows) {
  for (int p = 0; p < panels; ++p) {
    for (int i = 0; i < rows * panel; i += lanes) store(x.at(p, 0) + i, splat(0));
  }
}

struct ForwardSpace {
  Matrix state, rows, activated;
  RowModulation modulation;
  KeptMlpBlock own;  // where nothing is kept

  ForwardSpace(const MlpPlan& plan, Arena& arena, bool one_for_all)
      : state(take_matrix(arena, plan.input.in_panels)),
        rows(take_matrix(arena, plan.dim_panels)),
        activated(take_matrix(arena, plan.inner_panels)),
        modulation(RowModulation::of(arena, plan.dim_panels, one_for_all)),
        own{take_matrix(arena, plan.dim_panels), {nullptr, 0}, {nullptr, 0}, arena.take(mlp_statistics)} {}
};

struct BackwardSpace {
  Matrix state, dv, dx, rows, d_rows, activated, d_hidden, d_branch;
  RowModulation modulation, d_modulation;

  BackwardSpace(const MlpPlan& plan, Arena& arena, bool one_for_all)
      : state(take_matrix(arena, plan.input.in_panels)),
        dv(take_matrix(arena, plan.output.out_panels)),
        dx(take_matrix(arena, plan.dim_panels)),
        rows(take_matrix(arena, plan.dim_panels)),
        d_rows(take_matrix(arena, plan.dim_panels)),
        activated(take_matrix(arena, plan.inner_panels)),
        d_hidden(take_matrix(arena, plan.inner_panels)),
        d_branch(take_matrix(arena, plan.dim_panels)),
        modulation(RowModulation::of(arena, plan.dim_panels, one_for_all)),
        d_modulation(RowModulation::of(arena, plan.dim_panels, one_for_all)) {}
};

struct BackwardPass {
  const MlpBackward& b;
  const MlpPlan& plan;
  BackwardSpace space;

  BackwardPass(const MlpBackward& backward, Arena& arena)
      : b(backward), plan(*b.plan), space(plan, arena, b.modulation_step == 0) {}

  void add_weight_gradient(const LinearPlan& l, ConstMatrix x, ConstMatrix dy) const {
    if (b.weight_gradient == nullptr) return;
    outer_product(x, l.in_panels, dy, 0, l.out_panels, b.rows, b.fresh,
                  AddTo{b.weight_gradient + l.weight, static_cast<long>(l.in_panels) * panel * panel});
    column_sums(dy, 0, l.out_panels, b.rows, b.fresh, b.weight_gradient + l.bias);
  }

  template <class Finish>
  void to_input(const LinearPlan& l, ConstMatrix dy, Finish finish) const {
    product(dy, l.out_panels, b.packed.transposed + l.transposed, l.in_panels, 0, b.rows, finish);
  }

  /// Reads the modulation of a block, or of the final layer, and makes room for its gradient.
  void begin(int block, bool gated) const {
    read_modulation(plan, b.modulation + 3l * block * plan.dim, b.modulation_step, b.rows, gated,
                    space.modulation);
    const auto& d = space.d_modulation;
    const RowPart parts[] = {d.shift, d.scale, d.gate};
    for (const RowPart& part : parts)
      clear({part.data, mlp_stride}, plan.dim_panels, part.step == 0 ? 1 : b.rows);
  }

  void end(int block, bool gated) const {
    if (b.modulation_gradient == nullptr) return;
    const auto& d = space.d_modulation;
    const RowPart parts[] = {d.shift, d.scale, d.gate};
    float* to = b.modulation_gradient + 3l * block * plan.dim;
    for (int i = 0; i < (gated ? 3 : 2); ++i)
      to_rows({parts[i].data, mlp_stride}, plan.dim, b.modulation_step == 0 ? 1 : b.rows, to + i * plan.dim,
              b.modulation_step);
  }

  /// From the gradient of LN(x)*(1+scale)+shift, which is in d_rows, to that of x.
  void norm(const KeptMlpBlock& kept) const {
    modulate_rows_backward(kept.x, plan.dim_panels, plan.dim, kept.statistics, space.modulation, space.d_rows,
                           b.rows, space.dx, space.d_modulation);
  }

  void run() const {
    // What is kept is read only.
    const auto kept_of = [&](int i) { return kept_mlp_block(plan, const_cast<float*>(b.kept), i); };
    to_panels(b.velocity_gradient, plan.channels, 0, b.rows, plan.channels, space.dv.data, mlp_stride);
    clear(space.dx, plan.dim_panels, b.rows);
    const KeptMlpBlock last = kept_of(plan.blocks);
    begin(plan.blocks, false);
    modulate_rows(last.x, plan.dim_panels, last.statistics, space.modulation, b.rows, space.rows);
    add_weight_gradient(plan.output, space.rows, space.dv);
    to_input(plan.output, space.dv, Plain{space.d_rows});
    norm(last);
    end(plan.blocks, false);
    for (int i = plan.blocks - 1; i >= 0; --i) block(plan.block[i], kept_of(i), i);
    to_panels(b.state, plan.channels, 0, b.rows, plan.channels, space.state.data, mlp_stride);
    add_weight_gradient(plan.input, space.state, space.dx);
    if (b.state_gradient == nullptr) return;
    to_input(plan.input, space.dx, Plain{space.state});
    to_rows(space.state, plan.channels, b.rows, b.state_gradient, plan.channels);
  }

  void block(const MlpBlockPlan& l, const KeptMlpBlock& kept, int i) const {
    begin(i, true);
    gate_rows_backward(kept.branch, plan.dim_panels, space.modulation.gate, space.dx, b.rows, space.d_branch,
                       space.d_modulation.gate);
    to_input(l.contract, space.d_branch,
             ActivationBackward{gelu_tanh, kept.hidden, space.activated, space.d_hidden});
    add_weight_gradient(l.contract, space.activated, space.d_branch);
    modulate_rows(kept.x, plan.dim_panels, kept.statistics, space.modulation, b.rows, space.rows);
    add_weight_gradient(l.expand, space.rows, space.d_hidden);
    to_input(l.expand, space.d_hidden, Plain{space.d_rows});
    norm(kept);
    end(i, true);
  }
};

}  // namespace

long mlp_scratch(const MlpPlan& plan, bool backward) {
  Arena arena{nullptr};
  if (backward) {
    BackwardSpace(plan, arena, false);
  } else {
    ForwardSpace(plan, arena, false);
  }
  return arena.used;
}

void mlp_backward(const MlpBackward& b) {
  Arena arena{b.scratch};
  BackwardPass(b, arena).run();
}

void mlp_forward(const MlpForward& f) {
  const MlpPlan& plan = *f.plan;
  Arena arena{f.scratch};
  const ForwardSpace space(plan, arena, f.modulation_step == 0);
  const auto place = [&](int i) { return f.kept != nullptr ? kept_mlp_block(plan, f.kept, i) : space.own; };
  const auto normalise = [&](const KeptMlpBlock& at, int block, bool gated) {
    read_modulation(plan, f.modulation + 3l * block * plan.dim, f.modulation_step, f.rows, gated,
                    space.modulation);
    row_statistics(at.x, plan.dim_panels, plan.dim, 0, f.rows, at.statistics);
    modulate_rows(at.x, plan.dim_panels, at.statistics, space.modulation, f.rows, space.rows);
  };
  const auto run = [&](const LinearPlan& l, ConstMatrix x, auto finish) {
    product(x, l.in_panels, f.weights + l.weight, l.out_panels, 0, f.rows, finish);
  };

  to_panels(f.state, plan.channels, 0, f.rows, plan.channels, space.state.data, mlp_stride);
  run(plan.input, space.state, WithBias{f.weights + plan.input.bias, place(0).x});
  for (int i = 0; i < plan.blocks; ++i) {
    const MlpBlockPlan& l = plan.block[i];
    const KeptMlpBlock at = place(i);
    normalise(at, i, true);
    run(l.expand, space.rows, GeluOfHidden{f.weights + l.expand.bias, space.activated, at.hidden, 0});
    run(l.contract, space.activated,
        RowGatedResidual{f.weights + l.contract.bias, space.modulation.gate, at.x, at.branch,
                         place(i + 1).x});
  }
  normalise(place(plan.blocks), plan.blocks, false);
  dense(space.rows.data, mlp_stride, plan.dim_panels, f.weights + plan.output.weight,
        f.weights + plan.output.bias, plan.channels, 0, f.rows, f.velocity, plan.channels);
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

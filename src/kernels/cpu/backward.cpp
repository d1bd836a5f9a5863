// The whole network backward, for one sample and one team of threads. Between waits a thread touches either
// its own rows or its own panels and heads.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/gradients.hpp"
#include "kernels/cpu/layers.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

constexpr int most_threads = 256;

struct Workspace {  // scratch of the team, then of the thread
  float *dx, *normal, *d_normal, *gated, *middle, *hidden, *d_hidden, *d_qkv, *tokens, *d_tokens, *column,
      *partial;
  float *modulation, *q, *k, *d_out, *k_turned, *v_turned, *dq, *dk, *dv, *delta, *pairs;
};

void lay_out_shared(const Plan& plan, Arena& arena, Workspace& workspace) {
  const long matrix = plan.dim_panels * plan.stride, wide = plan.blocks[0].expand.out_panels * plan.stride;
  float** const places[] = {&workspace.dx, &workspace.normal, &workspace.d_normal, &workspace.gated,
                            &workspace.middle};
  for (float** place : places) *place = arena.take(matrix);
  workspace.hidden = arena.take(wide);
  workspace.d_hidden = arena.take(wide);
  workspace.d_qkv = arena.take(plan.blocks[0].qkv.out_panels * plan.stride);
  workspace.tokens = arena.take(plan.patch_in.in_panels * plan.stride);
  workspace.d_tokens = arena.take(plan.patch_in.in_panels * plan.stride);
  workspace.column = arena.take(2l * plan.dim_panels * panel);
  workspace.partial = arena.take(2l * most_threads * plan.dim_panels * panel);
}

void lay_out_scratch(const Plan& plan, Arena& arena, Workspace& workspace) {
  const Head h{plan.tokens, plan.head_dim};
  workspace.modulation = arena.take(3l * plan.dim_panels * panel);
  float** const places[] = {&workspace.q,  &workspace.k,  &workspace.d_out,
                            &workspace.dq, &workspace.dk, &workspace.dv};
  for (float** place : places) *place = arena.take(h.rows_size());
  workspace.k_turned = arena.take(h.keys_size());
  workspace.v_turned = arena.take(h.keys_size());
  workspace.delta = arena.take(plan.tokens);
  workspace.pairs = arena.take(2l * query_rows * pair_stride);
}

float* behind(float* data, long offset) {
  return data == nullptr ? nullptr : data + offset;
}

void clear(float* data, long count) {
  for (long i = 0; i < count; ++i) data[i] = 0;
}

struct Pass {
  const Team& team;
  const Backward& b;
  const Plan& plan;
  Workspace workspace;
  Range rows;
  Stopwatch& watch;

  const float* weights(long offset) const { return b.packed.weights + offset; }
  float* gradient(long offset) const { return behind(b.weight_gradient, offset); }
  Matrix matrix(float* data) const { return {data, plan.stride}; }
  bool wants_modulation() const { return b.modulation_gradient != nullptr; }
  int padded() const { return plan.dim_panels * panel; }

  /// dx = dy * w^T for this thread's rows
  template <class Finish>
  void input_gradient(const LinearPlan& l, ConstMatrix dy, Finish finish) const {
    product(dy, l.out_panels, b.packed.transposed + l.transposed, l.in_panels, rows.begin, rows.end, finish);
  }

  void weight_gradient(const LinearPlan& l, ConstMatrix x, ConstMatrix dy) const {
    if (b.weight_gradient == nullptr) return;
    const Range mine = share(team, l.out_panels);
    const long out_stride = static_cast<long>(l.in_panels) * panel * panel;
    outer_product(x, l.in_panels, dy, mine.begin, mine.end, plan.tokens, b.fresh,
                  AddTo{gradient(l.weight), out_stride});
    column_sums(dy, mine.begin, mine.end, plan.tokens, b.fresh, gradient(l.bias));
  }

  /// The same for a linear layer behind a gate, dy being the gradient after the gate; also the gate's own
  /// gradient.
  void gated_gradient(const LinearPlan& l, ConstMatrix x, ConstMatrix dy, const float* gate,
                      float* d_gate_out) const {
    if (b.weight_gradient == nullptr && !wants_modulation()) return;
    const Range mine = share(team, l.out_panels);
    const int first = mine.begin * panel, last = mine.end * panel;
    float *d_gate = workspace.column, *sums = workspace.column + padded();
    clear(d_gate + first, last - first);
    const long out_stride = static_cast<long>(l.in_panels) * panel * panel;
    outer_product(x, l.in_panels, dy, mine.begin, mine.end, plan.tokens, b.fresh,
                  AddGated{gradient(l.weight), weights(l.weight), gate, d_gate, out_stride});
    column_sums(dy, mine.begin, mine.end, plan.tokens, true, sums);
    float* bias = gradient(l.bias);
    for (int c = first; c < last; ++c) {
      d_gate[c] += sums[c] * weights(l.bias)[c];
      if (bias != nullptr) bias[c] = gate[c] * sums[c] + (b.fresh ? 0.0f : bias[c]);
    }
    if (!wants_modulation()) return;
    for (int c = first; c < last && c < plan.dim; ++c) d_gate_out[c] = d_gate[c];
  }

  /// dx += gradient through the modulated norm; every thread sums its rows' part of (d_shift, d_scale) on its
  /// own.
  void norm_gradient(ConstMatrix x, const float* statistics, const Modulation& m) const {
    float* mine = workspace.partial + 2l * team.rank * padded();
    clear(mine, 2l * padded());
    modulate_backward(x, plan.dim_panels, plan.dim, statistics, m, matrix(workspace.d_normal), rows.begin,
                      rows.end, matrix(workspace.dx), mine, mine + padded());
  }

  void give_norm_gradient(float* out) const {  // after a wait; out: shift, scale
    if (!wants_modulation()) return;
    const Range mine = share(team, plan.dim);
    for (int part = 0; part < 2; ++part) {
      for (int c = mine.begin; c < mine.end; ++c) {
        float total = 0;
        for (int t = 0; t < team.size; ++t) total += workspace.partial[(2l * t + part) * padded() + c];
        out[part * plan.dim + c] = total;
      }
    }
  }

  /// Makes the middle of the block again where it was not kept.
  const float* middle_of(const KeptBlock& at, const BlockPlan& l, const float* gate) const {
    if (b.keep->hidden) return at.middle;
    product(matrix(at.attended), l.project.in_panels, weights(l.project.weight), l.project.out_panels,
            rows.begin, rows.end,
            GatedResidual{weights(l.project.bias), gate, matrix(at.x), matrix(workspace.middle)});
    return workspace.middle;
  }

  const float* hidden_of(const KeptBlock& at, const BlockPlan& l) const {
    if (b.keep->hidden) return at.hidden;
    product(matrix(workspace.normal), l.expand.in_panels, weights(l.expand.weight), l.expand.out_panels,
            rows.begin, rows.end, WithBias{weights(l.expand.bias), matrix(workspace.hidden)});
    return workspace.hidden;
  }

  void feed_forward(const KeptBlock& at, const BlockPlan& l, const float* modulation,
                    float* d_modulation) const {
    Modulation m = take_modulation(plan, modulation, true, workspace.modulation);
    const float* middle = middle_of(at, l, m.gate);
    m = take_modulation(plan, modulation + 3l * plan.dim, true, workspace.modulation);
    const float* statistics = at.statistics + 2l * plan.tokens;
    const Matrix d_hidden = matrix(workspace.d_hidden), gelu = matrix(workspace.hidden);
    modulate({middle, plan.stride}, plan.dim_panels, statistics, m, rows.begin, rows.end,
             matrix(workspace.normal), rows.begin);
    const float* hidden = hidden_of(at, l);
    scale_columns(matrix(workspace.dx), plan.dim_panels, m.gate, rows.begin, rows.end,
                  matrix(workspace.gated));
    input_gradient(l.contract, matrix(workspace.gated),
                   ActivationBackward{gelu_tanh, {hidden, plan.stride}, gelu, d_hidden});
    input_gradient(l.expand, d_hidden, Plain{matrix(workspace.d_normal)});
    wait(team);
    gated_gradient(l.contract, gelu, matrix(workspace.dx), m.gate, behind(d_modulation, 5l * plan.dim));
    weight_gradient(l.expand, matrix(workspace.normal), d_hidden);
    wait(team);
    norm_gradient({middle, plan.stride}, statistics, m);
    wait(team);
    give_norm_gradient(behind(d_modulation, 3l * plan.dim));
    watch.lap(mlp_part);
  }

  /// For each token d_out . out over the head's columns, times scale.
  void dot_rows(const Head& h, const ConstColumns& d_out, const ConstColumns& out, float scale) const {
    for (int t = 0; t < h.tokens; ++t) {
      Vec total = splat(0);
      for (int c = 0; c < h.columns(); c += lanes)
        total = fma(load(d_out.at(c, t)), load(out.at(c, t)), total);
      workspace.delta[t] = sum(total) * scale;
    }
  }

  void attend(const KeptBlock& at, int head) const {
    const Head h{plan.tokens, plan.head_dim};
    const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(h.dim)), log2e = 1.44269504f;
    const int column = head * h.dim;
    const Matrix qkv = matrix(at.qkv), d_qkv = matrix(workspace.d_qkv),
                 d_attended = matrix(workspace.d_normal);
    const ConstColumns d_out = head_of(d_attended, column, h, workspace.d_out);
    dot_rows(h, d_out, head_of(matrix(at.attended), column, h, workspace.q), scale);
    transpose_head(qkv, plan.dim + column, h, scale * log2e, workspace.k_turned);
    transpose_head(qkv, 2 * plan.dim + column, h, scale, workspace.v_turned);
    const Columns dq = place_of(d_qkv, column, h, workspace.dq),
                  dk = place_of(d_qkv, plan.dim + column, h, workspace.dk),
                  dv = place_of(d_qkv, 2 * plan.dim + column, h, workspace.dv);
    const ConstColumns q = head_of(qkv, column, h, workspace.q),
                       k = head_of(qkv, plan.dim + column, h, workspace.k);
    attention_backward(h,
                       {qkv, d_attended, column, workspace.k_turned, workspace.v_turned, q, k, d_out,
                        at.row_numbers + 2l * head * plan.tokens, workspace.delta, dq, dk, dv},
                       workspace.pairs);
    put_head(dq, h, d_qkv, column);
    put_head(dk, h, d_qkv, plan.dim + column);
    put_head(dv, h, d_qkv, 2 * plan.dim + column);
  }

  void mix_tokens(const KeptBlock& at, const BlockPlan& l, const float* modulation,
                  float* d_modulation) const {
    const Modulation m = take_modulation(plan, modulation, true, workspace.modulation);
    scale_columns(matrix(workspace.dx), plan.dim_panels, m.gate, rows.begin, rows.end,
                  matrix(workspace.gated));
    input_gradient(l.project, matrix(workspace.gated),
                   Plain{matrix(workspace.d_normal)});  // the gradient of `attended`
    if (team.rank == 0 && l.qkv.out % panel != 0)
      clear(matrix(workspace.d_qkv).at(l.qkv.out_panels - 1, 0), plan.stride);
    wait(team);
    gated_gradient(l.project, matrix(at.attended), matrix(workspace.dx), m.gate,
                   behind(d_modulation, 2l * plan.dim));
    watch.lap(project_part);
    for (int head = team.rank; head < plan.heads; head += team.size) attend(at, head);
    wait(team);
    watch.lap(attention_part);
    modulate(matrix(at.x), plan.dim_panels, at.statistics, m, rows.begin, rows.end, matrix(workspace.normal),
             rows.begin);
    input_gradient(l.qkv, matrix(workspace.d_qkv), Plain{matrix(workspace.d_normal)});
    norm_gradient(matrix(at.x), at.statistics, m);
    wait(team);
    weight_gradient(l.qkv, matrix(workspace.normal), matrix(workspace.d_qkv));
    give_norm_gradient(d_modulation);
    wait(team);
    watch.lap(qkv_part);
  }

  /// From the gradient of the velocity to that of the last block's result.
  void leave() const {
    const Matrix dy = matrix(workspace.d_tokens);
    const ConstMatrix x{b.kept + b.keep->last_x, plan.stride};
    const float* statistics = b.kept + b.keep->last_statistics;
    const long place = 6l * plan.dim * plan.depth;
    const Modulation m = take_modulation(plan, b.modulation + place, false, workspace.modulation);
    to_tokens(plan, b.velocity_gradient, rows.begin, rows.end, dy);
    input_gradient(plan.output, dy, Plain{matrix(workspace.d_normal)});
    modulate(x, plan.dim_panels, statistics, m, rows.begin, rows.end, matrix(workspace.normal), rows.begin);
    for (int p = 0; p < plan.dim_panels; ++p)
      clear(matrix(workspace.dx).at(p, rows.begin), (rows.end - rows.begin) * panel);
    norm_gradient(x, statistics, m);
    wait(team);
    weight_gradient(plan.output, matrix(workspace.normal), dy);
    give_norm_gradient(behind(b.modulation_gradient, place));
    wait(team);
  }

  void enter() const {
    to_tokens(plan, b.state, rows.begin, rows.end, matrix(workspace.tokens));
    wait(team);
    weight_gradient(plan.patch_in, matrix(workspace.tokens), matrix(workspace.dx));
    if (b.state_gradient == nullptr) return;
    input_gradient(plan.patch_in, matrix(workspace.dx), Plain{matrix(workspace.d_tokens)});
    from_tokens(plan, matrix(workspace.d_tokens), rows.begin, rows.end, b.state_gradient);
  }

  void run_block(int index) const {
    const KeptBlock at = kept_block(*b.keep, b.kept, index);
    const long place = 6l * plan.dim * index;
    float* d_modulation = behind(b.modulation_gradient, place);
    feed_forward(at, plan.blocks[index], b.modulation + place, d_modulation);
    mix_tokens(at, plan.blocks[index], b.modulation + place, d_modulation);
  }
};

}  // namespace

void backward(const Team& team, const Backward& b) {
  Workspace workspace;
  Arena shared{b.shared}, scratch{b.scratch};
  lay_out_shared(*b.plan, shared, workspace);
  lay_out_scratch(*b.plan, scratch, workspace);
  Stopwatch watch(b.seconds);
  const Pass pass{team, b, *b.plan, workspace, share_rows(team, b.plan->tokens), watch};
  pass.leave();
  watch.lap(final_part);
  for (int block = b.plan->depth - 1; block >= 0; --block) pass.run_block(block);
  pass.enter();
  watch.lap(patch_part);
}

long backward_shared(const Plan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_shared(plan, arena, workspace);
  return arena.used;
}

long backward_scratch(const Plan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_scratch(plan, arena, workspace);
  return arena.used;
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

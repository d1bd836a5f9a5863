// The whole network forward, for one sample and one team of threads.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/layers.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

struct Workspace {  // scratch of the team, then of the thread
  float *x, *middle, *qkv, *attended, *row_numbers, *statistics, *tokens;
  float *modulation, *rows, *hidden, *k_turned, *v, *out, *scores;
};

void lay_out_shared(const Plan& plan, Arena& arena, Workspace& workspace) {
  const long matrix = plan.dim_panels * plan.stride;
  workspace.x = arena.take(matrix);
  workspace.middle = arena.take(matrix);
  workspace.qkv = arena.take(plan.blocks[0].qkv.out_panels * plan.stride);
  workspace.attended = arena.take(matrix);
  workspace.row_numbers = arena.take(2l * plan.heads * plan.tokens);
  workspace.statistics = arena.take(4l * plan.tokens);
  workspace.tokens = arena.take(plan.patch_in.in_panels * plan.stride);
}

void lay_out_scratch(const Plan& plan, Arena& arena, Workspace& workspace) {
  const Head head{plan.tokens, plan.head_dim};
  workspace.modulation = arena.take(3l * plan.dim_panels * panel);
  workspace.rows = arena.take(plan.dim_panels * block_stride);
  workspace.hidden = arena.take(plan.blocks[0].expand.out_panels * block_stride);
  workspace.k_turned = arena.take(head.keys_size());
  workspace.v = arena.take(head.rows_size());
  workspace.out = arena.take(head.rows_size());
  workspace.scores = arena.take(tile_rows * key_stride);
}

struct Pass {
  const Team& team;
  const Forward& f;
  const Plan& plan;
  Workspace workspace;
  Range rows;  // of this thread
  Stopwatch& watch;

  const float* weights(long offset) const { return f.packed.weights + offset; }
  Matrix matrix(float* data) const { return {data, plan.stride}; }

  KeptBlock places(int block) const {
    if (f.kept == nullptr) {
      return {workspace.x, workspace.middle,      workspace.qkv,       workspace.attended,
              nullptr,     workspace.row_numbers, workspace.statistics};
    }
    KeptBlock out = kept_block(*f.keep, f.kept, block);
    if (!f.keep->hidden) out.middle = workspace.middle, out.hidden = nullptr;
    return out;
  }
  float* x_after(int block) const {
    if (f.kept == nullptr) return workspace.x;
    return block + 1 < plan.depth ? kept_block(*f.keep, f.kept, block + 1).x : f.kept + f.keep->last_x;
  }

  void norm_and_project(const KeptBlock& at, const LinearPlan& qkv, const Modulation& m) const {
    row_statistics(matrix(at.x), plan.dim_panels, plan.dim, rows.begin, rows.end, at.statistics);
    const Matrix normal{workspace.rows, block_stride};
    for (int from = rows.begin; from < rows.end; from += block_rows) {
      const int to = from + block_rows < rows.end ? from + block_rows : rows.end;
      modulate(matrix(at.x), plan.dim_panels, at.statistics, m, from, to, normal, 0);
      product(normal, qkv.in_panels, weights(qkv.weight), qkv.out_panels, 0, to - from,
              WithBias{weights(qkv.bias), matrix(at.qkv), from});
    }
  }

  void attend(const KeptBlock& at, int head) const {
    const Head h{plan.tokens, plan.head_dim};
    const int column = head * h.dim;
    const float scale = 1.44269504f / __builtin_sqrtf(static_cast<float>(h.dim));
    transpose_head(matrix(at.qkv), plan.dim + column, h, scale, workspace.k_turned);
    const Columns out = place_of(matrix(at.attended), column, h, workspace.out);
    const ConstColumns v = head_of(matrix(at.qkv), 2 * plan.dim + column, h, workspace.v);
    attention_forward(
        h, {matrix(at.qkv), column, workspace.k_turned, v, out, at.row_numbers + 2l * head * plan.tokens},
        workspace.scores);
    put_head(out, h, matrix(at.attended), column);
  }

  void mix_tokens(const KeptBlock& at, bool fresh) const {
    if (fresh && team.rank == 0 && plan.dim % panel != 0) {  // the columns that no head fills
      float* last = matrix(at.attended).at(plan.dim_panels - 1, 0);
      for (long i = 0; i < plan.stride; ++i) last[i] = 0;
    }
    wait(team);
    for (int head = team.rank; head < plan.heads; head += team.size) attend(at, head);
    wait(team);
  }

  void feed_forward(const KeptBlock& at, const BlockPlan& b, const Modulation& m, float* x_out) const {
    row_statistics(matrix(at.middle), plan.dim_panels, plan.dim, rows.begin, rows.end,
                   at.statistics + 2l * plan.tokens);
    const Matrix normal{workspace.rows, block_stride}, gelu{workspace.hidden, block_stride};
    for (int from = rows.begin; from < rows.end; from += block_rows) {
      const int to = from + block_rows < rows.end ? from + block_rows : rows.end, count = to - from;
      modulate(matrix(at.middle), plan.dim_panels, at.statistics + 2l * plan.tokens, m, from, to, normal, 0);
      product(normal, b.expand.in_panels, weights(b.expand.weight), b.expand.out_panels, 0, count,
              GeluOfHidden{weights(b.expand.bias), gelu, matrix(at.hidden), from});
      product(gelu, b.contract.in_panels, weights(b.contract.weight), b.contract.out_panels, 0, count,
              GatedResidual{weights(b.contract.bias), m.gate, matrix(at.middle), matrix(x_out), from});
    }
  }

  void run_block(int index) const {
    const BlockPlan& b = plan.blocks[index];
    const KeptBlock at = places(index);
    const float* modulation = f.modulation + 6l * plan.dim * index;
    Modulation m = take_modulation(plan, modulation, true, workspace.modulation);
    norm_and_project(at, b.qkv, m);
    watch.lap(qkv_part);
    mix_tokens(at, index == 0 || f.kept != nullptr);
    watch.lap(attention_part);
    product(matrix(at.attended), b.project.in_panels, weights(b.project.weight), b.project.out_panels,
            rows.begin, rows.end,
            GatedResidual{weights(b.project.bias), m.gate, matrix(at.x), matrix(at.middle)});
    watch.lap(project_part);
    m = take_modulation(plan, modulation + 3l * plan.dim, true, workspace.modulation);
    feed_forward(at, b, m, x_after(index));
    watch.lap(mlp_part);
  }

  void enter() const {
    const Matrix tokens = matrix(workspace.tokens);
    to_tokens(plan, f.state, rows.begin, rows.end, tokens);
    const ConstMatrix positions{weights(plan.positions), plan.stride};
    const Matrix x = matrix(places(0).x);
    const float* bias = weights(plan.patch_in.bias);
    product(tokens, plan.patch_in.in_panels, weights(plan.patch_in.weight), plan.patch_in.out_panels,
            rows.begin, rows.end, [=]<int Rows>(Tile<Rows>& tile, int row, int j) {
              for (int r = 0; r < Rows; ++r) {
                for (int i = 0; i < vectors; ++i) {
                  const Vec fixed =
                      load(positions.at(j, row + r) + i * lanes) + load(bias + j * panel + i * lanes);
                  tile.v[r][i] = tile.v[r][i] + fixed;
                }
              }
              tile.write(x.at(j, row));
            });
  }

  void leave() const {
    const ConstMatrix x = matrix(x_after(plan.depth - 1));
    float* statistics = f.kept == nullptr ? workspace.statistics : f.kept + f.keep->last_statistics;
    const Modulation m =
        take_modulation(plan, f.modulation + 6l * plan.dim * plan.depth, false, workspace.modulation);
    row_statistics(x, plan.dim_panels, plan.dim, rows.begin, rows.end, statistics);
    const Matrix normal{workspace.rows, block_stride}, tokens = matrix(workspace.tokens);
    for (int from = rows.begin; from < rows.end; from += block_rows) {
      const int to = from + block_rows < rows.end ? from + block_rows : rows.end;
      modulate(x, plan.dim_panels, statistics, m, from, to, normal, 0);
      product(normal, plan.output.in_panels, weights(plan.output.weight), plan.output.out_panels, 0,
              to - from, WithBias{weights(plan.output.bias), tokens, from});
    }
    from_tokens(plan, tokens, rows.begin, rows.end, f.velocity);
  }
};

}  // namespace

void forward(const Team& team, const Forward& f) {
  Workspace workspace;
  Arena shared{f.shared}, scratch{f.scratch};
  lay_out_shared(*f.plan, shared, workspace);
  lay_out_scratch(*f.plan, scratch, workspace);
  Stopwatch watch(f.seconds);
  const Pass pass{team, f, *f.plan, workspace, share_rows(team, f.plan->tokens), watch};
  pass.enter();
  watch.lap(patch_part);
  for (int block = 0; block < f.plan->depth; ++block) pass.run_block(block);
  pass.leave();
  watch.lap(final_part);
}

long forward_shared(const Plan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_shared(plan, arena, workspace);
  return arena.used;
}

long forward_scratch(const Plan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_scratch(plan, arena, workspace);
  return arena.used;
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

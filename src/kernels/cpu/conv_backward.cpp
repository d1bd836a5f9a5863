// The convolution field backward, for one sample and one thread.
#include "kernels/cpu/conv_gradients.hpp"
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/layers.hpp"
#include "kernels/cpu/winograd.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

struct Workspace {
  float *planes, *columns, *dx, *activated, *dh, *x, *padded_x;
  float *film, *gated, *sums, *d_film;
  float *inputs, *gradients;  // of tiles
};

void lay_out(const ConvPlan& plan, Arena& arena, Workspace& workspace) {
  int halo = 0;
  for (int i = 0; i < plan.blocks; ++i)
    halo = plan.block[i].map.dilation > halo ? plan.block[i].map.dilation : halo;
  const long matrix = plan.dim_panels * plan.stride, padded = plan.dim_panels * panel;
  const int panels =
      plan.lift.in_panels > plan.output.out_panels ? plan.lift.in_panels : plan.output.out_panels;
  workspace.planes = arena.take(Planes::floats(plan));
  workspace.columns = arena.take(panels * plan.stride);
  workspace.dx = arena.take(matrix);
  workspace.activated = arena.take(matrix);
  const long given = plan.output.out_panels * lines_stride(plan, 1),
             dh = plan.dim_panels * lines_stride(plan, halo);
  workspace.dh = arena.take(dh > given ? dh : given);
  workspace.x = arena.take(matrix);
  workspace.padded_x = arena.take(plan.dim_panels * lines_stride(plan, halo));
  workspace.film = arena.take(3 * padded);
  workspace.gated = arena.take(padded * padded);
  workspace.sums = arena.take(padded > panels * panel ? padded : panels * panel);
  workspace.d_film = arena.take(3 * padded);
  workspace.inputs = arena.take(Positions::floats(plan));
  workspace.gradients = arena.take(Positions::floats(plan));
}

void clear(float* p, long count) {
  for (long i = 0; i < count; ++i) p[i] = 0;
}

struct Pass {
  const ConvBackward& b;
  const ConvPlan& plan;
  Workspace workspace;

  const float* weights(long offset) const { return b.packed.weights + offset; }
  const float* transposed(long offset) const { return b.packed.transposed + offset; }
  float* gradient(long offset) const {
    return b.weight_gradient == nullptr ? nullptr : b.weight_gradient + offset;
  }
  Matrix matrix(float* data) const { return {data, plan.stride}; }
  bool weighs() const { return b.weight_gradient != nullptr; }
  int padded() const { return plan.dim_panels * panel; }

  void add(float* to, const float* values, int count, const float* factor = nullptr) const {
    for (int c = 0; c < count; ++c) {
      const float value = factor == nullptr ? values[c] : factor[c] * values[c];
      to[c] = value + (b.fresh ? 0.0f : to[c]);
    }
  }

  void dense_gradient(const LinearPlan& l, ConstMatrix x, ConstMatrix dy) const {
    outer_product(x, l.in_panels, dy, 0, l.out_panels, plan.cells, b.fresh,
                  AddTo{gradient(l.weight), static_cast<long>(l.in_panels) * panel * panel});
  }

  /// Adds what cells beyond the ends of a line have collected to the cells that they stand for.
  void fold_ends(float* line, int step, int width) const {
    for (int i = 0; i < width; ++i) {
      line[plan.near.low[0] * step + i] += line[-step + i];
      line[plan.near.high[0] * step + i] += line[plan.columns * step + i];
    }
  }

  /// The gradient of what each cell gave to its neighbours, collected with a halo, then as a matrix.
  void collect_given(const Planes& planes, Matrix to) const {
    const Lines given = with_halo(plan, workspace.dh, 1);
    clear(given.data, plan.output.out_panels * given.stride);
    for (int line = 0; line < plan.lines; ++line) {
      for_near_taps(plan, line, [&](int column, int c, int source, int shift) {
        float* place = given.at(column / panel, source, shift) + column % panel;
        const float* from = planes.at(c, line, 0);
        for (int i = 0; i < plan.columns; ++i) place[i * panel] += from[i];
      });
    }
    for (int p = 0; p < plan.output.out_panels; ++p) {
      for (int line = 0; line < plan.lines; ++line) {
        float* place = given.at(p, line, 0);
        fold_ends(place, panel, panel);
        __builtin_memcpy(to.at(p, line * plan.columns), place, sizeof(float) * panel * plan.columns);
      }
    }
  }

  /// From the gradient of the velocity to that of the last hidden state.
  void leave() const {
    const Planes planes(plan, workspace.planes);
    to_planes(plan, b.velocity_gradient, 0, plan.lines, planes);
    const Matrix given = matrix(workspace.columns);
    collect_given(planes, given);
    for (int c = 0; c < plan.inputs && weighs(); ++c) {
      float total = 0;
      for (int line = 0; line < plan.lines; ++line) {
        for (int x = 0; x < plan.columns; ++x) total += planes.at(c, line, 0)[x];
      }
      add(gradient(plan.output.bias) + c, &total, 1);
    }
    const ConstMatrix x{b.kept + b.keep->x, plan.stride};
    product(given, plan.output.out_panels, transposed(plan.output.transposed), plan.dim_panels, 0, plan.cells,
            ActivationBackward{plan.activation, x, matrix(workspace.activated), matrix(workspace.dx)});
    if (weighs()) dense_gradient(plan.output, matrix(workspace.activated), given);
  }

  /// d_gate, and the gradients of the 1x1 convolution, whose output is not kept (AddGated).
  void mix_gradient(const LinearPlan& mix, const Modulation& film, float* d_gate) const {
    const Matrix dx = matrix(workspace.dx);
    clear(d_gate, padded());
    outer_product(matrix(workspace.activated), plan.dim_panels, dx, 0, plan.dim_panels, plan.cells, b.fresh,
                  AddGated{gradient(mix.weight), weights(mix.weight), film.gate, d_gate,
                           static_cast<long>(plan.dim_panels) * panel * panel});
    column_sums(dx, 0, plan.dim_panels, plan.cells, true, workspace.sums);
    for (int c = 0; c < padded(); ++c) d_gate[c] += workspace.sums[c] * weights(mix.bias)[c];
    if (weighs()) add(gradient(mix.bias), workspace.sums, padded(), film.gate);
  }

  /// The hidden state before a block: the one behind it less what the block added, with a halo.
  Lines x_before(int index, const Modulation& film) const {
    const ConvBlockPlan& block = plan.block[index];
    const Lines out = with_halo(plan, workspace.padded_x, block.map.dilation);
    const ConstMatrix behind{index + 1 == plan.blocks ? b.kept + b.keep->x : workspace.x, plan.stride};
    const Matrix before = matrix(workspace.x);
    for (int line = 0; line < plan.lines; ++line) {
      const int first = line * plan.columns;
      product(matrix(workspace.activated), plan.dim_panels, weights(block.mix.weight), plan.dim_panels, first,
              first + plan.columns, [&]<int Rows>(Tile<Rows>& tile, int row, int j) {
                tile.add_row(weights(block.mix.bias) + j * panel);
                const float* old = behind.at(j, row);
                for (int i = 0; i < vectors; ++i) {
                  const Vec gate = load(film.gate + j * panel + i * lanes);
                  for (int r = 0; r < Rows; ++r)
                    tile.v[r][i] = load(old + r * panel + i * lanes) - gate * tile.v[r][i];
                }
                tile.write(before.at(j, row));
                tile.write(out.at(j, line, row - first));
              });
    }
    fill_halo(out, plan.dim_panels, block.map, plan.columns, 0, plan.lines);
    return out;
  }

  void run_block(int index) const {
    const ConvBlockPlan& block = plan.block[index];
    const long place = 3l * plan.dim * index;
    const Modulation film = take_film(plan, b.modulation + place, workspace.film);
    const Lines dh = with_halo(plan, workspace.dh, block.map.dilation);
    const float* h = b.kept + b.keep->h[index];

    for (int p = 0; p < plan.dim_panels; ++p) {  // the rows of the transposed 1x1 convolution, times the gate
      const float* from = transposed(block.mix.transposed) + static_cast<long>(p) * padded() * panel;
      float* to = workspace.gated + static_cast<long>(p) * padded() * panel;
      for (int k = 0; k < padded(); ++k) {
        for (int i = 0; i < panel; ++i) to[k * panel + i] = from[k * panel + i] * film.gate[k];
      }
    }
    float *d_shift = workspace.d_film, *d_scale = d_shift + padded(), *d_gate = d_scale + padded();
    clear(d_shift, 2l * padded());
    for (int line = 0; line < plan.lines; ++line) {
      const int first = line * plan.columns;
      product(matrix(workspace.dx), plan.dim_panels, workspace.gated, plan.dim_panels, first,
              first + plan.columns,
              FilmBackward{plan.activation,
                           film,
                           {h, plan.stride},
                           matrix(workspace.activated),
                           dh,
                           d_shift,
                           d_scale,
                           line,
                           first});
    }
    if (weighs() || b.modulation_gradient != nullptr) mix_gradient(block.mix, film, d_gate);
    if (weighs()) add(gradient(block.spatial.bias), d_shift, padded(), film.scale);
    if (b.modulation_gradient != nullptr) {
      for (int part = 0; part < 3; ++part) {
        for (int c = 0; c < plan.dim; ++c)
          b.modulation_gradient[place + part * plan.dim + c] = workspace.d_film[part * padded() + c];
      }
    }
    const Lines x = weighs() ? x_before(index, film) : Lines{};
    if (weighs()) clear_unused(block);
    if (block.tiled) return tiled_gradient(block, x, dh);
    if (weighs()) tap_gradient(plan, block, x, dh, gradient(block.spatial.weight), b.fresh);
    fill_ends(dh, block.map);
    SpatialGradient{plan, block, transposed(block.spatial.transposed), dh, matrix(workspace.dx)}.add();
  }

  /// The sums of groups are added up as a whole.
  void clear_unused(const ConvBlockPlan& block) const {
    if (!b.fresh) return;
    if (block.tiled) return clear(gradient(block.spatial.weight), plan.taps * plan.matrix);
    if (plan.taps == most_conv_taps) clear(gradient(block.winograd.weight), winograd_positions * plan.matrix);
  }

  /// Those of the weights, and those of x, which are added to dx.
  void tiled_gradient(const ConvBlockPlan& block, const Lines& x, const Lines& dh) const {
    const Positions inputs(plan, workspace.inputs), gradients(plan, workspace.gradients);
    const int most = tiles_at_a_time(plan), all = plan.cells / outputs_of_a_tile, panels = plan.dim_panels;
    for (int begin = 0; begin < all; begin += most) {
      const Tiles tiles(plan, block.map, begin, begin + most < all ? begin + most : all);
      read_output_gradients(tiles, dh, gradients);
      if (weighs()) read_tiles(tiles, x, inputs);
      for (int n = 0; n < winograd_positions; ++n) {
        if (weighs())
          outer_product(inputs.at(n), panels, gradients.at(n), 0, panels, tiles.count, b.fresh && begin == 0,
                        AddTo{gradient(block.winograd.weight) + n * plan.matrix,
                              static_cast<long>(panels) * panel * panel});
        product(gradients.at(n), panels, transposed(block.winograd.transposed) + n * plan.matrix, panels, 0,
                tiles.count, Plain{inputs.at(n)});
      }
      add_input_gradients(plan, block.map, tiles, inputs, matrix(workspace.dx));
    }
  }

  /// Beyond a line: nothing reads there, or the line again.
  void fill_ends(const Lines& dh, const TapMap& map) const {
    if (plan.wraps) return fill_halo(dh, plan.dim_panels, map, plan.columns, 0, plan.lines);
    for (int p = 0; p < plan.dim_panels; ++p) {
      for (int line = 0; line < plan.lines; ++line) {
        clear(dh.at(p, line, -map.dilation), map.dilation * panel);
        clear(dh.at(p, line, plan.columns), map.dilation * panel);
      }
    }
  }

  void enter() const {
    const Matrix columns = matrix(workspace.columns);
    const Planes planes(plan, workspace.planes);
    if (weighs()) {
      to_planes(plan, b.state, 0, plan.lines, planes);
      clear_padding(plan, plan.cells, columns);
      for (int line = 0; line < plan.lines; ++line)
        gather_inputs(plan, planes, line, 0, plan.columns, columns, line * plan.columns);
      dense_gradient(plan.lift, columns, matrix(workspace.dx));
      column_sums(matrix(workspace.dx), 0, plan.dim_panels, plan.cells, b.fresh, gradient(plan.lift.bias));
    }
    if (b.state_gradient == nullptr) return;
    product(matrix(workspace.dx), plan.dim_panels, transposed(plan.lift.transposed), plan.lift.in_panels, 0,
            plan.cells, Plain{columns});
    clear(workspace.planes, Planes::floats(plan));
    for (int line = 0; line < plan.lines; ++line) {
      for_near_taps(plan, line, [&](int column, int c, int source, int shift) {
        const float* from = columns.at(column / panel, line * plan.columns) + column % panel;
        float* to = planes.at(c, source, shift);
        for (int i = 0; i < plan.columns; ++i) to[i] += from[i * panel];
      });
    }
    for (int c = 0; c < plan.inputs; ++c) {
      for (int line = 0; line < plan.lines; ++line) fold_ends(planes.at(c, line, 0), 1, 1);
    }
    from_planes(plan, planes, 0, plan.lines, b.state_gradient);
  }
};

}  // namespace

void conv_backward(const ConvBackward& b) {
  Workspace workspace;
  Arena arena{b.scratch};
  lay_out(*b.plan, arena, workspace);
  const Pass pass{b, *b.plan, workspace};
  pass.leave();
  for (int block = b.plan->blocks - 1; block >= 0; --block) pass.run_block(block);
  pass.enter();
}

long conv_backward_scratch(const ConvPlan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out(plan, arena, workspace);
  return arena.used;
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

// The convolution field forward, for one sample and one team of threads.
#include "kernels/cpu/conv_block.hpp"
#include "kernels/cpu/entry.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

struct Workspace {  // scratch of the team, then of the thread
  float *planes, *x, *next, *columns;
  float *film, *run;
  float *inputs, *products, *activated;  // of tiles
};

void lay_out_shared(const ConvPlan& plan, Arena& arena, Workspace& workspace) {
  int halo = 0;
  for (int i = 0; i < plan.blocks; ++i)
    halo = plan.block[i].map.dilation > halo ? plan.block[i].map.dilation : halo;
  workspace.planes = arena.take(Planes::floats(plan));
  workspace.x = arena.take(plan.dim_panels * lines_stride(plan, halo));
  workspace.next = arena.take(plan.dim_panels * lines_stride(plan, halo));
  workspace.columns = arena.take(plan.output.out_panels * lines_stride(plan, 1));
}

void lay_out_scratch(const ConvPlan& plan, Arena& arena, Workspace& workspace) {
  const int panels = plan.lift.in_panels > plan.dim_panels ? plan.lift.in_panels : plan.dim_panels;
  workspace.film = arena.take(3l * plan.dim_panels * panel);
  workspace.run = arena.take(panels * run_stride);
  workspace.inputs = arena.take(Positions::floats(plan));
  workspace.products = arena.take(Positions::floats(plan));
  workspace.activated = arena.take(plan.dim_panels * outputs_stride(plan));
}

struct Pass {
  const Team& team;
  const ConvForward& f;
  const ConvPlan& plan;
  Workspace workspace;

  /// work(Count<rows>{}, line, x) for each run of cells of this thread
  template <class Work>
  void for_cells(Work&& work) const {
    const int per_line = (plan.columns + tile_rows - 1) / tile_rows;
    const Range runs = share(team, plan.lines * per_line);
    for (int i = runs.begin; i < runs.end; ++i) {
      const int line = i / per_line, run = i % per_line;
      const int from = plan.columns * run / per_line, to = plan.columns * (run + 1) / per_line;
      with_rows<tile_rows>(to - from, [&](auto rows) { work(rows, line, from); });
    }
  }

  Lines x_before(int block) const {
    const int halo = block < plan.blocks ? plan.block[block].map.dilation : 0;
    if (f.kept != nullptr && block == plan.blocks) return with_halo(plan, f.kept + f.keep->x, halo);
    return with_halo(plan, block % 2 == 0 ? workspace.x : workspace.next, halo);
  }

  /// One product of a run's values; finish(tile of one panel, panel).
  template <int Rows, class Finish>
  CVF_INLINE void run_product(const LinearPlan& l, Finish&& finish) const {
    const long w_stride = static_cast<long>(l.in_panels) * panel * panel;
    for_panels(0, l.out_panels, [&](auto panels, int j) {
      WideTile<Rows, decltype(panels)::value> tile;
      tile.clear();
      add_product(tile, workspace.run, run_stride, l.in_panels, f.weights + l.weight + j * w_stride,
                  w_stride);
      for (int q = 0; q < decltype(panels)::value; ++q) finish(tile.part[q], j + q);
    });
  }

  void finish_lines(const Lines& x, int block) const {
    wait(team);
    if (block < plan.blocks) {
      const Range mine = share(team, plan.lines);
      fill_halo(x, plan.dim_panels, plan.block[block].map, plan.columns, mine.begin, mine.end);
    }
    wait(team);
  }

  void enter() const {
    const Range mine = share(team, plan.lines);
    const Planes planes(plan, workspace.planes);
    const Matrix rows{workspace.run, run_stride};
    to_planes(plan, f.state, mine.begin, mine.end, planes);
    clear_padding(plan, tile_rows, rows);
    wait(team);
    const Lines x = x_before(0);
    for_cells([&](auto count, int line, int from) {
      constexpr int Rows = decltype(count)::value;
      gather_inputs(plan, planes, line, from, Rows, rows, 0);
      run_product<Rows>(plan.lift, [&](Tile<Rows>& tile, int j) {
        tile.add_row(f.weights + plan.lift.bias + j * panel);
        tile.write(x.at(j, line, from));
      });
    });
    finish_lines(x, 0);
  }

  void run_block(int index) const {
    const Modulation film = take_film(plan, f.modulation + 3l * plan.dim * index, workspace.film);
    float* h = f.kept != nullptr ? f.kept + f.keep->h[index] : nullptr;
    const Lines next = x_before(index + 1);
    const ConvBlockPlan& block = plan.block[index];
    const BlockPass pass{plan, block, f.weights, film, x_before(index), next, h, workspace.run};
    if (block.tiled) {
      const Range mine = share(team, plan.cells / outputs_of_a_tile);
      const int most = tiles_at_a_time(plan);
      for (int begin = mine.begin; begin < mine.end; begin += most) {
        const Tiles tiles(plan, block.map, begin, begin + most < mine.end ? begin + most : mine.end);
        TiledPass{pass,
                  tiles,
                  {plan, workspace.inputs},
                  {plan, workspace.products},
                  {workspace.activated, outputs_stride(plan)}}
            .advance();
      }
    } else {
      for_cells([&](auto rows, int line, int x) { pass.template advance<decltype(rows)::value>(line, x); });
    }
    finish_lines(next, index + 1);
  }

  /// What each cell gives to its neighbours, then what each cell gets.
  void leave() const {
    const Lines x = x_before(plan.blocks), given = with_halo(plan, workspace.columns, 1);
    for_cells([&](auto rows, int line, int from) {
      constexpr int Rows = decltype(rows)::value;
      for (int p = 0; p < plan.dim_panels; ++p) {
        const float* value = x.at(p, line, from);
        for (int i = 0; i < Rows * panel; i += lanes) {
          const Vec z = load(value + i);
          store(workspace.run + p * run_stride + i, z * share_of(plan.activation, z));
        }
      }
      run_product<Rows>(plan.output, [&](Tile<Rows>& tile, int j) { tile.write(given.at(j, line, from)); });
    });
    wait(team);
    const Range mine = share(team, plan.lines);
    fill_halo(given, plan.output.out_panels, plan.near, plan.columns, mine.begin, mine.end);
    wait(team);
    const Planes planes(plan, workspace.planes);
    for (int line = mine.begin; line < mine.end; ++line) {
      for (int c = 0; c < plan.inputs; ++c) {
        for (int i = 0; i < plan.columns; ++i) planes.at(c, line, 0)[i] = f.weights[plan.output.bias + c];
      }
      for_near_taps(plan, line, [&](int column, int c, int source, int shift) {
        const float* from = given.at(column / panel, source, shift) + column % panel;
        float* to = planes.at(c, line, 0);
        for (int i = 0; i < plan.columns; ++i) to[i] += from[i * panel];
      });
    }
    from_planes(plan, planes, mine.begin, mine.end, f.velocity);
  }
};

}  // namespace

void conv_forward(const Team& team, const ConvForward& f) {
  Workspace workspace;
  Arena shared{f.shared}, scratch{f.scratch};
  lay_out_shared(*f.plan, shared, workspace);
  lay_out_scratch(*f.plan, scratch, workspace);
  const Pass pass{team, f, *f.plan, workspace};
  pass.enter();
  for (int block = 0; block < f.plan->blocks; ++block) pass.run_block(block);
  pass.leave();
}

long conv_shared(const ConvPlan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_shared(plan, arena, workspace);
  return arena.used;
}

long conv_scratch(const ConvPlan& plan) {
  Workspace workspace;
  Arena arena{nullptr};
  lay_out_scratch(plan, arena, workspace);
  return arena.used;
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

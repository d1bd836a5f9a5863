// The convolution field forward, for one sample and one team of threads.
#include "kernels/cpu/entry.hpp"
#include "kernels/cpu/layers.hpp"
#include "kernels/cpu/winograd.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {

constexpr long run_stride = (tile_rows | 1) * panel;

struct Workspace {  // scratch of the team, then of the thread
  float *planes, *x, *next, *columns;
  float *film, *run;
  float *inputs, *products, *activated;  // of tiles
};

long outputs_stride(const ConvPlan& plan) {
  return (outputs_of_a_tile * tiles_at_a_time(plan) | 1) * panel;
}

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

struct BlockPass {
  const ConvPlan& plan;
  const ConvBlockPlan& block;
  const float* weights;
  Modulation film;
  Lines from, to;
  float* h;  // plan.stride; null when it is not kept
  float* run;

  /// The convolution of the cells from x on, before its bias.
  template <int Rows, int Panels>
  CVF_INLINE void convolve(WideTile<Rows, Panels>& tile, int line, int x, int j) const {
    const int d = block.map.dilation;
    const long tap = static_cast<long>(plan.dim_panels) * panel * panel, w_stride = plan.taps * tap;
    const float* w = weights + block.spatial.weight + j * w_stride;
    tile.clear();
    for (int ky = 0; ky < plan.tap_lines; ++ky) {
      const int source = block.map.lines[ky * plan.lines + line];
      for (int kx = 0; kx < 3; ++kx, w += tap)
        add_product(tile, from.at(0, source, x + (kx - 1) * d), from.stride, plan.dim_panels, w, w_stride);
    }
  }

  CVF_INLINE Vec activated(Vec h, int c) const {
    const Vec z = fma(h, load(film.scale + c), load(film.shift + c));
    return z * share_of(plan.activation, z);
  }

  template <int Rows, int Panels>
  CVF_KERNEL void activate(int line, int x, int j) const {
    WideTile<Rows, Panels> tile;
    convolve(tile, line, x, j);
    for (int q = 0; q < Panels; ++q) {
      Tile<Rows>& t = tile.part[q];
      const int c = (j + q) * panel;
      t.add_row(weights + block.spatial.bias + c);
      if (h != nullptr) t.write(kept(j + q, line, x));
#pragma GCC unroll 4
      for (int i = 0; i < vectors; ++i) {
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) t.v[r][i] = activated(t.v[r][i], c + i * lanes);
      }
      t.write(run + (j + q) * run_stride);
    }
  }

  template <int Rows, int Panels>
  CVF_KERNEL void mix(int line, int x, int j) const {
    WideTile<Rows, Panels> tile;
    tile.clear();
    const long w_stride = static_cast<long>(plan.dim_panels) * panel * panel;
    add_product(tile, run, run_stride, plan.dim_panels, weights + block.mix.weight + j * w_stride, w_stride);
    for (int q = 0; q < Panels; ++q) {
      const auto at = [x](int r) { return static_cast<long>(x + r) * panel; };
      add_gated(tile.part[q], j + q, from.at(j + q, line, 0), at, to.at(j + q, line, 0), at);
    }
  }

  /// The end of a block for some cells, the r-th of which lies at(r) floats behind `old` and next_at(r)
  /// behind `next`.
  template <int Rows, class Place>
  CVF_INLINE void add_gated(Tile<Rows>& mixed, int p, const float* old, const Place& at, float* next,
                            const Place& next_at) const {
    const int c = p * panel;
    mixed.add_row(weights + block.mix.bias + c);
#pragma GCC unroll 4
    for (int i = 0; i < vectors; ++i) {
      const Vec gate = load(film.gate + c + i * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const Vec x = load(old + at(r) + i * lanes);
        store(next + next_at(r) + i * lanes, fma(gate, mixed.v[r][i], x));
      }
    }
  }

  template <int Rows>
  void advance(int line, int x) const {
    for_panels(0, plan.dim_panels,
               [&](auto panels, int j) { activate<Rows, decltype(panels)::value>(line, x, j); });
    for_panels(0, plan.dim_panels,
               [&](auto panels, int j) { mix<Rows, decltype(panels)::value>(line, x, j); });
  }

  float* kept(int p, int line, int x) const {
    return h + p * plan.stride + (static_cast<long>(line) * plan.columns + x) * panel;
  }
};

/// A block by Winograd's convolution, for some of its tiles.
struct TiledPass {
  const BlockPass& pass;
  const Tiles& tiles;
  Positions inputs, products;
  Matrix activated;  // row k * tiles + t: output k of tile t

  CVF_KERNEL void activate() const {
    const float* bias = pass.weights + pass.block.spatial.bias;
    for (int p = 0; p < products.panels; ++p) {
      for (int t = 0; t < tiles.count; ++t) {
#pragma GCC unroll 4
        for (int i = 0; i < vectors; ++i) {
          const int c = p * panel + i * lanes;
          Vec h[outputs_of_a_tile];
          outputs_of(products, p, t, i, h);
#pragma GCC unroll 4
          for (int k = 0; k < outputs_of_a_tile; ++k) {
            h[k] = h[k] + load(bias + c);
            if (pass.h != nullptr)
              store(pass.kept(p, tiles.output_line(t, k), tiles.output_x(t, k)) + i * lanes, h[k]);
            store(activated.at(p, k * tiles.count + t) + i * lanes, pass.activated(h[k], c));
          }
        }
      }
    }
  }

  /// Where the outputs lie in a panel of such lines, row by row of `activated`.
  void find(const Lines& lines, long* at) const {
    for (int k = 0; k < outputs_of_a_tile; ++k) {
      for (int t = 0; t < tiles.count; ++t)
        *at++ = lines.at(0, tiles.output_line(t, k), tiles.output_x(t, k)) - lines.data;
    }
  }

  void advance() const {
    const ConvPlan& plan = pass.plan;
    read_tiles(tiles, pass.from, inputs);
    for (int n = 0; n < winograd_positions; ++n)
      product(inputs.at(n), plan.dim_panels, pass.weights + pass.block.winograd.weight + n * plan.matrix,
              plan.dim_panels, 0, tiles.count, Plain{products.at(n)});
    activate();
    long from[outputs_of_a_tile * most_tiles], to[outputs_of_a_tile * most_tiles];
    find(pass.from, from);
    find(pass.to, to);
    product(activated, plan.dim_panels, pass.weights + pass.block.mix.weight, plan.dim_panels, 0,
            outputs_of_a_tile * tiles.count, [&]<int Rows>(Tile<Rows>& tile, int row, int p) {
              struct {
                const long* at;
                CVF_INLINE long operator()(int r) const { return at[r]; }
              } const old{from + row}, next{to + row};
              pass.add_gated(tile, p, pass.from.data + p * pass.from.stride, old,
                             pass.to.data + p * pass.to.stride, next);
            });
  }
};

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

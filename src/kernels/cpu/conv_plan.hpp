// What the convolution kernels are told. Plain data only, as in plan.hpp.
//
// A hidden state is a panel matrix whose rows are the cells of the grid, line by line. Where a convolution
// reads it, every line has `halo` more cells on both sides, filled by the boundary, so that a tap of the
// kernel is the same run of rows at another place. Lines beyond the grid are not stored: each tap looks up
// which line it reads.
#pragma once

#include "kernels/cpu/plan.hpp"

namespace cvf::kernels::cpu {

constexpr int most_conv_taps = 9;
constexpr int winograd_positions = 16;

/// Where a convolution with one dilation finds its values, for one grid.
struct TapMap {
  int dilation;
  const int* lines;  // [tap lines][lines]: the line that a line's taps read
  const int* low;    // [dilation]: the cell that stands at x = -dilation ... -1
  const int* high;   // [dilation]: the cell that stands at x = columns ... columns + dilation - 1
  const int*
      back_first;  // [lines + 1]: for each line that is read, where its readers begin in the two lists below
  const int* back_line;  // the line that reads it
  const int* back_tap;   // by which line of taps
};

struct ConvBlockPlan {
  LinearPlan spatial;   // in = taps * padded dim, tap by tap
  LinearPlan winograd;  // the same kernels for tiles, without a bias: of the first of winograd.hpp's
                        // positions; those of the others follow, `matrix` floats each
  LinearPlan mix;
  TapMap map;
  bool tiled;  // the grid is a whole number of tiles, and winograd is used instead of spatial
};

struct ConvPlan {
  int channels, height, width, patch_y, patch_x;  // of the state
  int lines, columns, cells;                      // of the grid of cells
  int inputs;                                     // values of a cell: channels * patch_y * patch_x
  int tap_lines, taps;                            // 3 and 9, or 1 and 3
  int dim, dim_panels, blocks;
  long matrix;  // floats of a packed dim x dim matrix
  Activation activation;
  bool wraps;       // periodic along x
  long stride;      // of a matrix of cells without halo, in floats; an odd number of rows
  LinearPlan lift;  // in = taps * inputs, tap by tap
  LinearPlan
      output;   // out = taps * inputs: what each cell gives to its neighbours; the bias has `inputs` values
  TapMap near;  // of lift and output
  ConvBlockPlan block[most_blocks];
  long weight_floats, transposed_floats;
};

/// What is kept of one sample between forward and backward, offsets in floats: what each convolution gave,
/// and the last hidden state. From these backward works out the hidden states before it, block by block.
struct ConvKeepPlan {
  long h[most_blocks];
  long x;
  long sample;
};

struct ConvForward {
  const ConvPlan* plan;
  const float* weights;
  const float* state;       // [C,H,W]
  const float* modulation;  // [blocks*3*D]: shift, scale, gate
  float* velocity;          // [C,H,W]
  float* kept;              // ConvKeepPlan::sample floats, or null when no gradient will be asked
  const ConvKeepPlan* keep;
  float* shared;   // scratch of the team
  float* scratch;  // scratch of this thread
};

struct ConvBackward {
  const ConvPlan* plan;
  Packed packed;
  const float* state;
  const float* modulation;
  const float* velocity_gradient;  // [C,H,W]
  const float* kept;
  const ConvKeepPlan* keep;
  float* weight_gradient;      // as Packed::weights, added to; null when not wanted
  bool fresh;                  // nothing is in weight_gradient yet: written over instead
  float* modulation_gradient;  // [blocks*3*D]; null when not wanted
  float* state_gradient;       // [C,H,W]; null when not wanted
  float* scratch;
};

}  // namespace cvf::kernels::cpu

// What the kernels of the network for vector states are told. Its rows are samples, each with a modulation of
// its own; a turn is a few of them that one thread takes through the whole network.
#pragma once

#include "kernels/cpu/plan.hpp"

namespace cvf::kernels::cpu {

constexpr int mlp_rows = 64;                          // the most of a turn
constexpr long mlp_stride = (mlp_rows + 1l) * panel;  // of every matrix of activations
constexpr long mlp_statistics = 2l * mlp_rows;        // floats: mean and 1/deviation of each row

struct MlpBlockPlan {
  LinearPlan expand, contract;
};

struct MlpPlan {
  int channels, dim, blocks;
  int dim_panels, inner_panels;
  LinearPlan input, output;
  const MlpBlockPlan* block;
  long weight_floats, transposed_floats;
  long kept_block, kept_turn;  // floats that are kept for backward, of a block and of a turn
};

struct MlpForward {
  const MlpPlan* plan;
  const float* weights;
  int rows;                 // of this turn
  const float* state;       // [rows,C]
  const float* modulation;  // [rows, blocks*3*D + 2*D]: shift, scale, gate of each block, shift and scale
  long modulation_step;     // floats from row to row; 0: one row for all
  float* velocity;          // [rows,C]
  float* kept;              // MlpPlan::kept_turn floats, or null when no gradient will be asked
  float* scratch;
};

struct MlpBackward {
  const MlpPlan* plan;
  Packed packed;
  int rows;
  const float* state;
  const float* modulation;
  long modulation_step;
  const float* velocity_gradient;  // [rows,C]
  const float* kept;
  float* weight_gradient;      // as Packed::weights, added to; null when not wanted
  bool fresh;                  // nothing is in weight_gradient yet: written over instead
  float* modulation_gradient;  // as the modulation, of one row for all the sum; null when not wanted
  float* state_gradient;       // [rows,C]; null when not wanted
  float* scratch;
};

}  // namespace cvf::kernels::cpu

// What the raw-pointer kernels are told: sizes, where things lie in the packed buffers, and the pointers of
// one call. Plain data only: these files are compiled once for each CPU flavour and must not carry shared
// inline code.
//
// All matrices are stored as panels of 16 columns: panel p of a matrix with stride s starts at p*s floats,
// and its row r holds 16 neighbouring values at p*s + r*16. So a product reads its left side, its right side
// and writes its result along consecutive memory, with nothing repacked.
#pragma once

namespace cvf::kernels::cpu {

constexpr int panel = 16;

/// h*s with s = 1/(1 + 2^(-z)), z = first*h + third*h^3: one shape for both activations that are used.
struct Activation {
  float first, third;
};
constexpr Activation gelu_tanh{2.3022082f, 0.10294324f};  // z = 2 log2(e) sqrt(2/pi) (h + 0.044715 h^3)
constexpr Activation silu{1.44269504f, 0};                // z = log2(e) h

struct LinearPlan {
  int in = 0, out = 0;
  int in_panels = 0, out_panels = 0;
  long weight = 0;      // in Packed::weights: out_panels x (in_panels*16) x 16, zero where padded
  long bias = 0;        // in Packed::weights: out_panels*16
  long transposed = 0;  // in Packed::transposed: in_panels x (out_panels*16) x 16
};

struct BlockPlan {
  LinearPlan qkv, project, expand, contract;
};

constexpr int most_blocks = 128;

struct Plan {
  int channels, height, width, patch;
  int dim, depth, heads, head_dim, tokens;
  int dim_panels;  // panels of a token's dim values
  long stride;     // of every matrix of activations, in floats; an odd number of rows, so that panels spread
                   // over cache sets
  LinearPlan patch_in, output;
  BlockPlan blocks[most_blocks];
  long positions;  // in Packed::weights: dim_panels matrices of `stride`
  long weight_floats, transposed_floats;
};

/// What is kept of one sample between forward and backward; offsets in floats.
struct KeepPlan {
  bool hidden;  // also the middle of the block and what enters GELU; else they are computed again
  long x, middle, qkv, attended, hidden_values, row_numbers, statistics;  // within a block's share
  long block;                                                             // floats of a block
  long last_x, last_statistics;                                           // behind the blocks
  long sample;                                                            // floats of a sample
};

struct Packed {
  const float* weights;
  const float* transposed;  // only for backward
};

/// What a pass consists of, for whoever asks where the time goes.
enum Part { patch_part, qkv_part, attention_part, project_part, mlp_part, final_part, part_count };

/// Threads that work on one sample together; `wait` holds each until all have come.
struct Team {
  int rank, size;
  int* barrier;  // two ints, shared: arrived, round
};

struct Forward {
  const Plan* plan;
  Packed packed;
  const float* state;       // [C,H,W]
  const float* modulation;  // [depth*6*D + 2*D]
  float* velocity;          // [C,H,W]
  float* kept;              // KeepPlan::sample floats, or null when no gradient will be asked
  const KeepPlan* keep;
  float* shared;    // scratch of the team
  float* scratch;   // scratch of this thread
  double* seconds;  // of each Part in this thread, added to; null when nobody asks
};

struct Backward {
  const Plan* plan;
  Packed packed;
  const float* state;
  const float* modulation;
  const float* velocity_gradient;  // [C,H,W]
  const float* kept;
  const KeepPlan* keep;
  float* weight_gradient;      // as Packed::weights, added to; null when not wanted
  bool fresh;                  // nothing is in weight_gradient yet: written over instead
  float* modulation_gradient;  // [depth*6*D + 2*D]; null when not wanted
  float* state_gradient;       // [C,H,W]; null when not wanted
  float* shared;
  float* scratch;
  double* seconds;
};

struct AdamW {
  float rate, beta1, beta2, epsilon, decay;
  float correction1, correction2;  // 1 - beta^step
};

struct ConvPlan;  // conv_plan.hpp
struct ConvForward;
struct ConvBackward;
struct MlpPlan;  // mlp_plan.hpp
struct MlpForward;
struct MlpBackward;

/// The entry points of one flavour.
struct Kernels {
  const char* name;
  void (*forward)(const Team&, const Forward&);
  void (*backward)(const Team&, const Backward&);
  void (*conv_forward)(const Team&, const ConvForward&);
  void (*conv_backward)(const ConvBackward&);
  long (*conv_shared)(
      const ConvPlan&);  // floats of scratch: of a team, of a thread, of a thread that goes backward
  long (*conv_scratch)(const ConvPlan&);
  long (*conv_backward_scratch)(const ConvPlan&);
  void (*mlp_forward)(const MlpForward&);
  void (*mlp_backward)(const MlpBackward&);
  long (*mlp_scratch)(const MlpPlan&, bool backward);
  void (*adamw)(const AdamW&, float* weight, const float* gradient, float* mean, float* square, long count);
  double (*peak)(
      long rounds);  // runs `rounds` rounds of independent multiply-adds, gives the operations done
  long (*shared_floats)(const Plan&, bool backward);
  long (*scratch_floats)(const Plan&, bool backward);
  /// to[c*to_step + r] = from[r*from_step + c]
  void (*transpose)(const float* from, long from_step, int rows, int columns, float* to, long to_step);
  void (*add)(const float* from, long count, float* to);  // to += from
  /// The rows [begin, end) of a matrix of the library as panels `stride` floats apart.
  void (*to_panels)(const float* from, long from_step, int begin, int end, int columns, float* to,
                    long stride);
  /// to[row*to_step + c] = x[row] w + bias for the rows [begin, end) of the panels x and a packed w; bias may
  /// be null
  void (*dense)(const float* x, long stride, int in_panels, const float* w, const float* bias, int out,
                int begin, int end, float* to, long to_step);
  /// dw = x^T y, packed as w, and dbias = the sums of y's columns, for the out panels [begin, end)
  void (*dense_gradient)(const float* x, const float* y, long stride, int in_panels, int begin, int end,
                         int rows, float* dw, float* dbias);
  /// out[b*out_step + r] = w[r] . x[b] + bias[r] for w [rows,in], x [count,in]
  void (*dots)(const float* w, const float* bias, int in, int rows, const float* x, int count, float* out,
               long out_step);
};

namespace portable {
const Kernels& kernels();
}
namespace avx2 {
const Kernels& kernels();
}
namespace avx512 {
const Kernels& kernels();
}

}  // namespace cvf::kernels::cpu

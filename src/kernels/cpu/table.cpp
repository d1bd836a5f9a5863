#include "kernels/cpu/entry.hpp"

#define CVF_WORD_OF(x) #x
#define CVF_WORD(x) CVF_WORD_OF(x)

namespace cvf::kernels::cpu::CVF_SIMD {
namespace {
long shared_floats(const Plan& plan, bool back) {
  return back ? backward_shared(plan) : forward_shared(plan);
}
long scratch_floats(const Plan& plan, bool back) {
  return back ? backward_scratch(plan) : forward_scratch(plan);
}
constexpr Kernels table{.name = CVF_WORD(CVF_SIMD),
                        .forward = forward,
                        .backward = backward,
                        .conv_forward = conv_forward,
                        .conv_backward = conv_backward,
                        .conv_shared = conv_shared,
                        .conv_scratch = conv_scratch,
                        .conv_backward_scratch = conv_backward_scratch,
                        .mlp_forward = mlp_forward,
                        .mlp_backward = mlp_backward,
                        .mlp_scratch = mlp_scratch,
                        .adamw = adamw,
                        .peak = peak,
                        .shared_floats = shared_floats,
                        .scratch_floats = scratch_floats,
                        .transpose = transpose,
                        .add = add,
                        .to_panels = to_panels,
                        .dense = dense,
                        .dense_gradient = dense_gradient,
                        .dots = dots};
}  // namespace

const Kernels& kernels() {
  return table;
}

}  // namespace cvf::kernels::cpu::CVF_SIMD

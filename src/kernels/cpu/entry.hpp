#pragma once

#include "kernels/cpu/conv_plan.hpp"
#include "kernels/cpu/mlp_plan.hpp"

namespace cvf::kernels::cpu::CVF_SIMD {

void forward(const Team& team, const Forward& f);
long forward_shared(const Plan& plan);
long forward_scratch(const Plan& plan);

void backward(const Team& team, const Backward& b);
long backward_shared(const Plan& plan);
long backward_scratch(const Plan& plan);

void conv_forward(const Team& team, const ConvForward& f);
void conv_backward(const ConvBackward& b);
long conv_shared(const ConvPlan& plan);
long conv_scratch(const ConvPlan& plan);
long conv_backward_scratch(const ConvPlan& plan);

void mlp_forward(const MlpForward& f);
void mlp_backward(const MlpBackward& b);
long mlp_scratch(const MlpPlan& plan, bool backward);

void adamw(const AdamW& a, float* weight, const float* gradient, float* mean, float* square, long count);
double peak(long rounds);

void transpose(const float* from, long from_step, int rows, int columns, float* to, long to_step);
void add(const float* from, long count, float* to);
void to_panels(const float* from, long from_step, int begin, int end, int columns, float* to, long stride);
void dense(const float* x, long stride, int in_panels, const float* w, const float* bias, int out, int begin,
           int end, float* to, long to_step);
void dense_gradient(const float* x, const float* y, long stride, int in_panels, int begin, int end, int rows,
                    float* dw, float* dbias);
void dots(const float* w, const float* bias, int in, int rows, const float* x, int count, float* out,
          long out_step);

}  // namespace cvf::kernels::cpu::CVF_SIMD

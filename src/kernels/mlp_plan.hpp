// Where the weights of the network for vector states lie in its packed buffers.
#pragma once

#include <vector>

#include "kernels/cpu/mlp_plan.hpp"
#include "kernels/packing.hpp"
#include "kernels/sizes.hpp"

namespace cvf::kernels {

class MlpLayout {
 public:
  explicit MlpLayout(const MlpSize& size);
  MlpLayout(const MlpLayout&) = delete;  // the plan points into it
  MlpLayout& operator=(const MlpLayout&) = delete;

  const cpu::MlpPlan& plan() const { return plan_; }
  /// input, then expand and contract of each block, then output
  std::vector<cpu::LinearPlan> layers() const;

 private:
  cpu::MlpPlan plan_{};
  std::vector<cpu::MlpBlockPlan> blocks_;
};

/// In the order of `layers`. `transposed` may be null: it is for backward only.
void pack_mlp(const MlpLayout& layout, std::span<const LayerValues> layers, float* packed, float* transposed);

}  // namespace cvf::kernels

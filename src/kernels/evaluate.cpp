#include "kernels/sit.hpp"

namespace cvf::kernels {

torch::Tensor evaluate(const SitTrunk& trunk, Engine, const torch::Tensor& state,
                       const torch::Tensor& modulation) {
  return composed_sit(trunk, state, modulation);
}

}  // namespace cvf::kernels

// A model of the runtime for the protocols: float32 on the CPU, without LibTorch.
#pragma once

#include "rollout/model.hpp"
#include "runtime/model.hpp"

namespace cvf::rollout {

ModelPointer on_runtime(runtime::Model model);

}  // namespace cvf::rollout

// Physical and model units are different types: what crosses from one to the other goes through a normalizer.
#pragma once

#include "core/torch.hpp"

namespace cvf::normalizers {

struct Physical {
  torch::Tensor value;  // [B,C,...]
};

struct Model {
  torch::Tensor value;  // [B,C,...]
};

}  // namespace cvf::normalizers

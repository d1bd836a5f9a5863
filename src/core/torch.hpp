// LibTorch's headers, always included through this file: it is the one that is precompiled.
#pragma once

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <torch/torch.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// Differences between LibTorch 1.13 and 2.x are named here, in one place.
#define CVF_TORCH_HAS_SDPA (TORCH_VERSION_MAJOR >= 2)

// c10d, LibTorch's library of collective operations, and the differences between its versions in one place:
// in 1.13 ProcessGroupGloo is a ProcessGroup, since 2.0 a Backend; the functions that we call are the same.
#pragma once

// LibTorch's own targets define USE_C10D_GLOO and USE_C10D_NCCL as it was built; the headers of those
// libraries come from elsewhere and may be missing.
#if defined(USE_C10D_GLOO) && !__has_include(<gloo/context.h>)
#undef USE_C10D_GLOO
#endif
#if defined(USE_C10D_NCCL) && !__has_include(<nccl.h>)
#undef USE_C10D_NCCL
#endif

#include <torch/version.h>
#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/Backend.hpp>
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#ifdef USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "core/torch.hpp"
#include "train/distributed/process_group.hpp"

namespace cvf::train {

#if TORCH_VERSION_MAJOR >= 2
using Group = ::c10d::Backend;
#else
using Group = ::c10d::ProcessGroup;
#endif
using Work = ::c10d::Work;

c10::intrusive_ptr<Group> connect(const Membership& membership, const std::string& folder,
                                  const ProcessGroupOptions& options, torch::Device device);

}  // namespace cvf::train

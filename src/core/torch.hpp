// LibTorch's headers, always included through this file: it is the one that is precompiled.
#pragma once

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
// Not <torch/torch.h>: what a precompiled header leaves to instantiate is instantiated again in every file
// that uses it, and the rest of LibTorch (its data loaders, optimisers, layers) cost two seconds a file.
#include <torch/autograd.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/version.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// Differences between LibTorch 1.13 and 2.x are named here, in one place.
#define CVF_TORCH_HAS_SDPA (TORCH_VERSION_MAJOR >= 2)

namespace cvf::tensors {

/// A node of the autograd graph, owned as LibTorch owns its own: by shared_ptr, in newer versions by
/// intrusive_ptr.
template <class Node>
auto make_node() {
  using Owner = decltype(torch::autograd::Edge::function);
  if constexpr (std::is_same_v<Owner, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<Node>(new Node,
                                 [](Node* node) { deleteNode(node); });  // found beside its base class
  } else {
    return c10::make_intrusive<Node>();
  }
}

}  // namespace cvf::tensors

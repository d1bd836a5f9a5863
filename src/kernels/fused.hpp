// A network on the CPU kernels as one node of the autograd graph.
#pragma once

#include <memory>
#include <vector>

#include "kernels/batch.hpp"
#include "kernels/packing.hpp"

namespace cvf::kernels {

struct Gradients {
  torch::Tensor state, modulation;     // undefined when not wanted
  std::vector<torch::Tensor> weights;  // in the order of the inputs
};

struct Wanted {
  bool state, modulation;
  std::vector<bool> weights;
  bool any_weight() const;
};

/// Weights and biases, one after the other, as the memory that they are; undefined ones as null.
std::vector<LayerValues> layer_values(const std::vector<torch::Tensor>& flat);
std::vector<LayerPlaces> layer_places(const std::vector<torch::Tensor>& flat);

/// One version of a network's weights, packed for the kernels. All tensors are contiguous floats.
class FusedNetwork {
 public:
  virtual ~FusedNetwork() = default;

  /// `kept` is null when no gradient will be asked.
  virtual torch::Tensor forward(const torch::Tensor& state, const torch::Tensor& modulation,
                                Kept* kept) const = 0;

  virtual Gradients backward(const std::vector<torch::Tensor>& weights, const torch::Tensor& state,
                             const torch::Tensor& modulation, const Kept& kept,
                             const torch::Tensor& velocity_gradient, const Wanted& wanted) const = 0;

  /// The same by library operations, for gradients of gradients. Holds no weights: a change in place is
  /// noticed by the saved inputs only.
  virtual torch::Tensor composed(const torch::Tensor& state, const torch::Tensor& modulation,
                                 const std::vector<torch::Tensor>& weights) const = 0;
};

/// psi, with a node in the graph where a gradient may be asked.
torch::Tensor evaluate_fused(std::shared_ptr<const FusedNetwork> network, const torch::Tensor& state,
                             const torch::Tensor& modulation, const std::vector<torch::Tensor>& weights);

/// Which tensors in which versions a packing was made of.
class WeightStamps {
 public:
  WeightStamps() = default;
  explicit WeightStamps(const std::vector<torch::Tensor>& weights);
  bool are_of(const std::vector<torch::Tensor>& weights) const;

 private:
  struct Stamp {
    const void* data;
    std::uint32_t version;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp(const torch::Tensor& weight);
  std::vector<Stamp> stamps_;
};

}  // namespace cvf::kernels

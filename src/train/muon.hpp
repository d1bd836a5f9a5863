// Muon for the matrices inside a network: the running mean of a gradient, orthogonalised, is the update, so
// that every direction of the matrix moves by the same length.
#pragma once

#include <string_view>
#include <vector>

#include "core/config.hpp"
#include "core/torch.hpp"

namespace cvf::train {

struct MuonOptions {
  double learning_rate = 0;  // 0: optimizer.learning_rate
  double momentum = 0.95;
  bool nesterov = true;
  double decay = 0.01;

  void describe(config::Section& section);
};

struct InnerMatrix {
  torch::Tensor weight, mean;  // the mean of its gradients, shaped as the weight
};

/// Whether Muon takes this parameter: a matrix or kernel of a residual block. What leads into the network,
/// out of it or from the step to the modulation is not one.
bool is_inner_matrix(std::string_view name, const torch::Tensor& parameter);

/// U V^T of U S V^T, nearly: a matrix [rows, columns] with the same singular vectors and singular values of
/// 0.68 to 1.21, where those of the argument are at least 0.002 of its Frobenius norm; smaller ones stay
/// smaller.
torch::Tensor orthogonalised(const torch::Tensor& matrix);

/// Moves the matrices that have a gradient; a kernel [out, in, ...] is a matrix [out, in * taps]. The entries
/// of an update have a root mean square of about 0.2 for every shape, as those of AdamW have, so the rates of
/// both mean the same.
void muon_step(std::vector<InnerMatrix>& matrices, const MuonOptions& options, double learning_rate);

}  // namespace cvf::train

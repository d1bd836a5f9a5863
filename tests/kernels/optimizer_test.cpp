#include "kernels/optimizer.hpp"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

namespace cvf::kernels {
namespace {

TEST(FusedAdamW, TakesTheStepsOfTheLibrarysAdamW) {
  torch::manual_seed(1);
  std::vector<torch::Tensor> ours, theirs, means, squares;
  for (const auto& shape :
       {std::vector<std::int64_t>{37, 5}, {260, 130}, {1, 1}}) {  // 130*260: several slices
    const auto start = torch::randn(shape);
    ours.push_back(start.clone().requires_grad_());
    theirs.push_back(start.clone().requires_grad_());
    means.push_back(torch::zeros_like(start));
    squares.push_back(torch::zeros_like(start));
  }
  torch::optim::AdamW library(
      theirs, torch::optim::AdamWOptions(1e-2).betas({0.9, 0.99}).eps(1e-8).weight_decay(0.01));
  for (int step = 1; step <= 10; ++step) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ours[i].mutable_grad() = torch::randn_like(ours[i]);
      theirs[i].mutable_grad() = ours[i].grad().clone();
    }
    fused_adamw(ours, means, squares, step, {1e-2, 0.9, 0.99, 1e-8, 0.01});
    library.step();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_LT((ours[i] - theirs[i]).abs().max().item<float>(), 2e-6f) << "step " << step << " of " << i;
    }
  }
}

TEST(FusedAdamW, DecaysMatricesOnlyAndSkipsWhatHasNoGradient) {
  auto vector = torch::ones({3}).requires_grad_(), idle = torch::ones({2, 2}).requires_grad_();
  vector.mutable_grad() = torch::zeros({3});
  std::vector<torch::Tensor> parameters{vector, idle}, means{torch::zeros({3}), torch::zeros({2, 2})},
      squares{torch::zeros({3}), torch::zeros({2, 2})};
  fused_adamw(parameters, means, squares, 1, {0.1, 0.9, 0.99, 1e-8, 0.5});
  EXPECT_TRUE(torch::equal(vector.detach(), torch::ones({3})));
  EXPECT_TRUE(torch::equal(idle.detach(), torch::ones({2, 2})));
}

TEST(FusedAdamW, CountsAsAChangeOfTheParameter) {
  auto weight = torch::ones({4, 4}).requires_grad_();
  weight.mutable_grad() = torch::ones({4, 4});
  std::vector<torch::Tensor> parameters{weight}, means{torch::zeros({4, 4})}, squares{torch::zeros({4, 4})};
  const auto before = weight._version();
  fused_adamw(parameters, means, squares, 1, {});
  EXPECT_GT(weight._version(), before);
}

}  // namespace
}  // namespace cvf::kernels

// Our fields against tensors computed by an independent implementation.
#include "support/golden.hpp"

#include <gtest/gtest.h>

namespace cvf::fields {
namespace {

using torch::Tensor;

class Golden : public test::GoldenFile {
 protected:
  static void expect_close(const Tensor& ours, const Tensor& theirs, const std::string& what) {
    ASSERT_TRUE(ours.defined()) << what;
    EXPECT_LE(distance(ours, theirs), 1e-9) << what;
  }

  void expect_gradients(const std::string& loss_name, const Tensor& loss) {
    expect_close(loss.detach(), tensor("loss." + loss_name)[0], "loss." + loss_name);
    loss.backward();
    for (const auto& p : field_->named_parameters()) {
      const std::string theirs = their_name(p.key());
      expect_close(p.value().grad(), tensor("g." + loss_name + "." + theirs), "gradient of " + p.key());
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Of, Golden, testing::Values("sit", "conv", "conv_gelu"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(Golden, FieldGivesTheSameVelocities) {
  torch::NoGradGuard no_grad;
  const Tensor psi = field_->forward(normalised("b.s0"), tensor("dts"));
  expect_close(psi, tensor("raw"), "raw");
  expect_close(normalizer_->physical_velocity(psi).value, tensor("vel"), "vel");
}

TEST_P(Golden, SecantMatchingHasTheSameGradients) {
  expect_gradients("sm", secant_error().square().mean());
}

TEST_P(Golden, RuptureLossHasTheSameGradients) {
  const auto s = normalised("b.s0"), dt = tensor("b.dt"), r = tensor("b.r");
  const auto wide = [](const Tensor& t) { return t.view({-1, 1, 1, 1}); };
  const Tensor first = field_->forward(s, r * dt);
  const Tensor middle = s + wide(r * dt) * normalizer_->model_velocity(first);
  const Tensor second = field_->forward(middle, (1 - r) * dt);
  const Tensor rupture = wide(r) * first + wide(1 - r) * second - field_->forward(s, dt);
  expect_gradients("cvf", secant_error().square().mean() + rupture.square().mean());
}

}  // namespace
}  // namespace cvf::fields

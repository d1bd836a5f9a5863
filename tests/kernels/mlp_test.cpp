// The fused network for vector states equals its composed reference in double, for every flavour that this
// CPU runs.
#include "kernels/mlp.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <functional>

#include "kernels/cpu_choice.hpp"

namespace cvf::kernels::mlp_tests {
namespace {

using torch::Tensor;

struct Case {
  const char* name;
  MlpSize size;  // channels, dim, inner, depth
  std::int64_t batch;
  bool one_modulation = false;
};

const Case cases[]{
    {"a pendulum", {2, 64, 64, 3}, 128},
    {"a pendulum without its step", {2, 64, 64, 3}, 128, true},
    {"one row", {3, 32, 64, 2}, 1},
    {"a whole turn and one row", {3, 32, 32, 1}, 65},
    {"many turns", {4, 16, 48, 2}, 700},
    {"many turns, one modulation", {4, 16, 48, 2}, 700, true},
    {"widths that fill no panel", {5, 20, 30, 2}, 37},
    {"widths that fill no panel, one modulation", {5, 20, 30, 2}, 37, true},
    {"more channels than a panel has", {40, 24, 24, 2}, 33},
    {"wide", {6, 256, 512, 1}, 20},
    {"narrower than a panel", {1, 4, 4, 2}, 9},
    {"deeper than a SiT may be", {2, 16, 16, 130}, 5},
};

Linear random_linear(std::int64_t in, std::int64_t out) {
  return {torch::randn({out, in}) / std::sqrt(static_cast<double>(in)), 0.1 * torch::randn({out})};
}

MlpTrunk random_trunk(const MlpSize& z) {
  MlpTrunk trunk{z, random_linear(z.channels, z.dim), {}, random_linear(z.dim, z.channels), make_mlp_cache()};
  for (std::int64_t i = 0; i < z.depth; ++i)
    trunk.blocks.push_back({random_linear(z.dim, z.inner), random_linear(z.inner, z.dim)});
  return trunk;
}

void for_each_tensor(MlpTrunk& trunk, const std::function<void(Tensor&)>& work) {
  const auto both = [&](Linear& l) { work(l.weight), work(l.bias); };
  both(trunk.input);
  for (auto& b : trunk.blocks) both(b.expand), both(b.contract);
  both(trunk.output);
}

MlpTrunk in_double(const MlpTrunk& trunk) {
  MlpTrunk out = trunk;
  for_each_tensor(out, [](Tensor& t) { t = t.detach().to(torch::kDouble).requires_grad_(); });
  return out;
}

double error(const Tensor& ours, const Tensor& truth) {
  return ((ours.to(torch::kDouble) - truth).norm() / (truth.norm() + 1e-30)).item<double>();
}

struct Problem {
  MlpTrunk trunk;
  Tensor state, modulation, weight;  // weight: of the velocities in the loss

  explicit Problem(const Case& c) : trunk((torch::manual_seed(5), random_trunk(c.size))) {
    state = torch::randn({c.batch, c.size.channels});
    modulation = 0.5 * torch::randn({c.one_modulation ? 1 : c.batch, c.size.modulation_values()});
    weight = torch::randn_like(state);
  }
};

struct Answer {
  Tensor velocity;
  std::vector<Tensor> gradients;  // state, modulation, weights
};

Answer answer_of(MlpTrunk trunk, const Problem& p, bool fused) {
  const auto dtype = fused ? torch::kFloat : torch::kDouble;
  if (!fused) trunk = in_double(trunk);
  std::vector<Tensor> inputs{p.state.to(dtype).clone().requires_grad_(),
                             p.modulation.to(dtype).clone().requires_grad_()};
  for_each_tensor(trunk, [&](Tensor& t) { inputs.push_back(t.requires_grad_()); });
  const Tensor out =
      fused ? fused_mlp(trunk, inputs[0], inputs[1]) : composed_mlp(trunk, inputs[0], inputs[1]);
  return {out.detach(), torch::autograd::grad({(out * p.weight.to(dtype)).sum()}, inputs)};
}

void expect_equal(const Case& c, const std::string& what) {
  const Problem p(c);
  const Answer truth = answer_of(p.trunk, p, false), ours = answer_of(p.trunk, p, true);
  EXPECT_LT(error(ours.velocity, truth.velocity), 1e-5) << c.name << what;
  for (std::size_t i = 0; i < truth.gradients.size(); ++i) {
    EXPECT_LT(error(ours.gradients[i], truth.gradients[i]), 2e-5) << c.name << what << ", gradient " << i;
  }
  torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::equal(fused_mlp(p.trunk, p.state, p.modulation), ours.velocity))
      << c.name << what << ", inference";
}

class FusedMlp : public testing::Test {
 protected:
  void TearDown() override {
    omp_set_num_threads(2);
    use_kernels(*runnable_kernels().back());
  }
};

TEST_F(FusedMlp, EqualsTheComposedReference) {
  for (const auto* kernels : runnable_kernels()) {
    use_kernels(*kernels);
    for (const auto& c : cases) expect_equal(c, std::string(" on ") + kernels->name);
  }
}

TEST_F(FusedMlp, EqualsItWithAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 5}) {
    omp_set_num_threads(threads);
    for (const auto& c : {cases[0], cases[4], cases[5]})
      expect_equal(c, " with " + std::to_string(threads) + " threads");
  }
}

TEST_F(FusedMlp, GivesEveryRowTheSameBitsInAnyBatch) {
  const Problem p(cases[4]);
  torch::NoGradGuard no_grad;
  const Tensor all = fused_mlp(p.trunk, p.state, p.modulation);
  for (const std::int64_t row : {0, 63, 64, 699}) {
    const Tensor alone = fused_mlp(p.trunk, p.state.narrow(0, row, 1), p.modulation.narrow(0, row, 1));
    EXPECT_TRUE(torch::equal(alone[0], all[row])) << "row " << row;
  }
}

TEST_F(FusedMlp, SeesThatWeightsHaveChanged) {
  const Problem p(cases[0]);
  torch::NoGradGuard no_grad;
  const Tensor before = fused_mlp(p.trunk, p.state, p.modulation);
  p.trunk.blocks[1].contract.weight.mul_(2);
  const Tensor after = fused_mlp(p.trunk, p.state, p.modulation);
  EXPECT_GT(error(after, before.to(torch::kDouble)), 1e-2);
  EXPECT_LT(error(after, composed_mlp(p.trunk, p.state, p.modulation).to(torch::kDouble)), 1e-5);
}

TEST_F(FusedMlp, GivesOnlyTheGradientsThatAreAskedFor) {
  const Problem p(cases[0]);
  const Tensor state = p.state.clone().requires_grad_();
  const Tensor out = fused_mlp(p.trunk, state, p.modulation);
  const auto alone = torch::autograd::grad({(out * p.weight).sum()}, {state});
  EXPECT_LT(error(alone[0], answer_of(p.trunk, p, false).gradients[0]), 2e-5);
}

TEST_F(FusedMlp, GivesGradientsOfGradientsThroughTheComposedOperations) {
  const Problem p(cases[2]);
  const auto norm_of_slope = [&](const MlpTrunk& trunk, torch::Dtype dtype, bool fused) {
    const Tensor state = p.state.to(dtype).clone().requires_grad_(), m = p.modulation.to(dtype);
    const Tensor out = fused ? fused_mlp(trunk, state, m) : composed_mlp(trunk, state, m);
    const auto slope = torch::autograd::grad({(out * p.weight.to(dtype)).sum()}, {state}, {}, true, true);
    return torch::autograd::grad({slope[0].square().sum()}, {state})[0];
  };
  const Tensor truth = norm_of_slope(in_double(p.trunk), torch::kDouble, false);
  EXPECT_GT(truth.norm().item<double>(), 1e-3);
  EXPECT_LT(error(norm_of_slope(p.trunk, torch::kFloat, true), truth), 1e-4);
}

}  // namespace
}  // namespace cvf::kernels::mlp_tests

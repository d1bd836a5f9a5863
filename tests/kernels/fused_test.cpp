// The fused kernels equal the composed reference in double, for every flavour that this CPU runs.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "kernels/cpu_choice.hpp"
#include "kernels/sit.hpp"
#include "kernels/sit_engine.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

struct Case {
  const char* name;
  SitSize size;  // channels, height, width, patch, dim, depth, heads
  std::int64_t batch;
  double sharpness = 1;  // factor on the weights of q and k
};

const Case cases[]{
    {"the small model of the paper's scale", {2, 32, 32, 4, 96, 2, 4}, 3},
    {"one token", {1, 4, 4, 4, 16, 2, 2}, 3},
    {"one row of tokens", {2, 4, 20, 4, 32, 2, 4}, 2},
    {"odd heads", {2, 12, 20, 4, 36, 2, 3}, 3},
    {"a width that fills no panel", {3, 8, 12, 2, 20, 2, 5}, 1},
    {"a width of 40 with 5 heads of 8", {1, 16, 24, 4, 40, 3, 5}, 33},
    {"heads of 40: two groups of 8 columns and three", {1, 12, 12, 2, 80, 1, 2}, 2},
    {"many tokens", {1, 40, 40, 2, 32, 1, 2}, 2},
    {"wide", {2, 16, 16, 4, 320, 1, 4}, 2},
    {"big patches", {3, 24, 24, 12, 24, 2, 2}, 4},
    {"sharp softmax", {2, 32, 32, 4, 64, 2, 4}, 2, 12},
};

Linear random_linear(std::int64_t in, std::int64_t out, double factor = 1) {
  const double spread = factor / std::sqrt(static_cast<double>(in));
  return {(torch::randn({out, in}, torch::kDouble) * spread).to(torch::kFloat), 0.1 * torch::randn({out})};
}

SitTrunk random_trunk(const Case& c) {
  const auto d = c.size.dim;
  SitTrunk trunk{c.size, random_linear(c.size.patch_values(), d), torch::randn({c.size.tokens(), d}),
                 {},     random_linear(d, c.size.patch_values()), make_weight_cache()};
  for (std::int64_t i = 0; i < c.size.depth; ++i) {
    trunk.blocks.push_back(
        {random_linear(d, 3 * d), random_linear(d, d), random_linear(d, 4 * d), random_linear(4 * d, d)});
    trunk.blocks.back().qkv.weight.narrow(0, 0, 2 * d).mul_(std::sqrt(c.sharpness));
  }
  return trunk;
}

void for_each_tensor(SitTrunk& trunk, const std::function<void(Tensor&)>& work) {
  const auto both = [&](Linear& l) { work(l.weight), work(l.bias); };
  both(trunk.patch);
  for (auto& b : trunk.blocks) both(b.qkv), both(b.project), both(b.expand), both(b.contract);
  both(trunk.output);
}

SitTrunk in_double(const SitTrunk& trunk) {
  SitTrunk out = trunk;
  for_each_tensor(out, [](Tensor& t) { t = t.detach().to(torch::kDouble).requires_grad_(); });
  out.positions = trunk.positions.to(torch::kDouble);
  return out;
}

double error(const Tensor& ours, const Tensor& truth) {
  return ((ours.to(torch::kDouble) - truth).norm() / (truth.norm() + 1e-30)).item<double>();
}

struct Problem {
  SitTrunk trunk;
  Tensor state, modulation, weight;  // weight: of the velocities in the loss

  explicit Problem(const Case& c) : trunk((torch::manual_seed(5), random_trunk(c))) {
    const auto& z = c.size;
    state = torch::randn({c.batch, z.channels, z.height, z.width});
    modulation = 0.5 * torch::randn({c.batch, z.modulation_values()});
    weight = torch::randn_like(state);
  }
};

struct Answer {
  Tensor velocity;
  std::vector<Tensor> gradients;  // state, modulation, weights
};

Answer answer_of(SitTrunk trunk, const Problem& p, bool fused) {
  const auto dtype = fused ? torch::kFloat : torch::kDouble;
  if (!fused) trunk = in_double(trunk);
  std::vector<Tensor> inputs{p.state.to(dtype).clone().requires_grad_(),
                             p.modulation.to(dtype).clone().requires_grad_()};
  for_each_tensor(trunk, [&](Tensor& t) { inputs.push_back(t.requires_grad_()); });
  const Tensor out =
      fused ? fused_sit(trunk, inputs[0], inputs[1]) : composed_sit(trunk, inputs[0], inputs[1]);
  return {out.detach(), torch::autograd::grad({(out * p.weight.to(dtype)).sum()}, inputs)};
}

void expect_equal(const Case& c, const std::string& what) {
  const Problem p(c);
  const Answer truth = answer_of(p.trunk, p, false), ours = answer_of(p.trunk, p, true);
  EXPECT_LT(error(ours.velocity, truth.velocity), 1e-5) << c.name << what;
  for (std::size_t i = 0; i < truth.gradients.size(); ++i) {
    EXPECT_LT(error(ours.gradients[i], truth.gradients[i]), 1e-4) << c.name << what << ", gradient " << i;
  }
  torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::equal(fused_sit(p.trunk, p.state, p.modulation), ours.velocity))
      << c.name << what << ", inference";
}

class EveryFlavour : public testing::Test {
 protected:
  const std::size_t usual_budget_ = activation_budget_bytes();
  void TearDown() override {
    omp_set_num_threads(2);
    use_kernels(*runnable_kernels().back());
    set_activation_budget(usual_budget_);
  }
};

TEST_F(EveryFlavour, EqualsTheComposedReference) {
  for (const auto* kernels : runnable_kernels()) {
    use_kernels(*kernels);
    for (const auto& c : cases) expect_equal(c, std::string(" on ") + kernels->name);
  }
}

TEST_F(EveryFlavour, EqualsItWithAnyNumberOfThreadsAndWithoutKeptActivations) {
  for (const int threads : {1, 2, 3, 5}) {
    omp_set_num_threads(threads);
    for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
      set_activation_budget(budget);
      for (const auto& c : {cases[0], cases[2], cases[3], cases[4]}) {
        expect_equal(c, " with " + std::to_string(threads) + " threads");
      }
    }
  }
}

TEST_F(EveryFlavour, NamesAsManyRowsAsItsBudgetHolds) {
  const SitSize size{.channels = 2, .height = 32, .width = 32, .patch = 4, .dim = 96, .depth = 4, .heads = 4};
  const double values =
      64.0 * 96 * (4 * 10 + 1);  // x, middle, qkv, attended, hidden of four blocks; the last x
  omp_set_num_threads(2);
  for (const double evaluations : {1.0, 3.0, 4.0}) {
    const auto rows = static_cast<double>(comfortable_rows(size, evaluations));
    EXPECT_EQ(std::fmod(rows, 2), 0);
    EXPECT_LT(rows * evaluations * values * 4, usual_budget_);
    EXPECT_GT(1.2 * (rows + 2) * evaluations * values * 4, usual_budget_);
  }
  EXPECT_EQ(comfortable_rows(size, 1e9), 2) << "never less than a row for each thread";
}

TEST_F(EveryFlavour, GivesTheSameBitsWhicheverThreadTakesWhichSamples) {
  const Problem p(cases[5]);
  for (const int threads : {2, 5}) {  // more threads than cores are held up at random
    omp_set_num_threads(threads);
    const Answer first = answer_of(p.trunk, p, true);
    for (int again = 0; again < 5; ++again) {
      const Answer next = answer_of(p.trunk, p, true);
      for (std::size_t i = 0; i < first.gradients.size(); ++i) {
        EXPECT_TRUE(torch::equal(first.gradients[i], next.gradients[i])) << threads << " threads, " << i;
      }
    }
  }
}

TEST_F(EveryFlavour, GivesASampleTheSameBitsInAnyBatch) {
  torch::NoGradGuard no_grad;
  const Problem p(cases[5]);
  const Tensor together = fused_sit(p.trunk, p.state, p.modulation);
  for (const int i : {0, 7, 32}) {
    const Tensor alone = fused_sit(p.trunk, p.state.narrow(0, i, 1), p.modulation.narrow(0, i, 1));
    EXPECT_TRUE(torch::equal(alone[0], together[i]));
  }
}

Tensor one_by_one(const Tensor& x, const std::vector<Linear>& layers) {
  std::vector<Tensor> parts;
  for (const auto& l : layers) {
    parts.push_back(x.to(torch::kDouble).matmul(l.weight.to(torch::kDouble).t()) + l.bias);
  }
  return torch::cat(parts, 1);
}

TEST_F(EveryFlavour, MultipliesAFewVectorsBySeveralMatricesAsTheLibraryDoes) {
  torch::NoGradGuard no_grad;
  for (const auto* kernels : runnable_kernels()) {
    use_kernels(*kernels);
    for (const std::int64_t in : {4, 20, 128}) {
      const std::vector<Linear> layers{random_linear(in, 70), random_linear(in, 3), random_linear(in, 130)};
      for (const std::int64_t count : {1, 5, 16, 17, 33}) {
        const Tensor x = torch::randn({count, in});
        const Tensor ours = linears_beside(x, layers, Engine::automatic);
        const Tensor truth = one_by_one(x, layers);
        EXPECT_LT(error(ours, truth), 1e-6) << kernels->name << ", " << count << " vectors of " << in;
        if (count != 16) continue;
        const Tensor alone = linears_beside(x.narrow(0, 15, 1), layers, Engine::automatic);
        EXPECT_TRUE(torch::equal(alone[0], ours[15])) << kernels->name;
      }
    }
  }
}

TEST(FusedSit, RunsInsideAParallelRegion) {
  const Problem p(cases[3]);
  const Answer outside = answer_of(p.trunk, p, true);
  Answer inside;
#pragma omp parallel num_threads(2)
#pragma omp single
  inside = answer_of(p.trunk, p, true);
  EXPECT_TRUE(torch::equal(inside.velocity, outside.velocity));
  EXPECT_LT(error(inside.gradients[2], outside.gradients[2].to(torch::kDouble)), 1e-5);
}

TEST(FusedSit, NoticesChangedWeights) {
  const Problem p(cases[3]);
  torch::NoGradGuard no_grad;
  const Tensor before = fused_sit(p.trunk, p.state, p.modulation);
  p.trunk.blocks[0].qkv.weight.mul_(1.5);
  const Tensor after = fused_sit(p.trunk, p.state, p.modulation);
  EXPECT_LT(error(after, composed_sit(p.trunk, p.state, p.modulation).to(torch::kDouble)), 1e-5);
  EXPECT_GT(error(after, before.to(torch::kDouble)), 1e-3);
}

TEST(FusedSit, GivesGradientsToNothingThatIsNotAskedFor) {
  Problem p(cases[3]);
  p.state.requires_grad_();
  fused_sit(p.trunk, p.state, p.modulation).sum().backward();
  EXPECT_TRUE(p.state.grad().defined());
  EXPECT_FALSE(p.modulation.grad().defined());
  EXPECT_FALSE(p.trunk.blocks[0].qkv.weight.grad().defined());
}

TEST(FusedSit, HasSecondOrderGradientsThroughTheComposedOperations) {
  Problem p(cases[3]);
  const auto twice = [&](bool fused) {
    Tensor s = p.state.clone().requires_grad_();
    const Tensor v = fused ? fused_sit(p.trunk, s, p.modulation) : composed_sit(p.trunk, s, p.modulation);
    const Tensor first = torch::autograd::grad({v.square().sum()}, {s}, {}, true, true)[0];
    return torch::autograd::grad({first.square().sum()}, {s})[0];
  };
  EXPECT_LT(error(twice(true), twice(false).to(torch::kDouble)), 1e-4);
}

TEST(FusedSit, RefusesASecondBackwardWithoutRetainGraph) {
  Problem p(cases[3]);
  p.state.requires_grad_();
  const Tensor loss = fused_sit(p.trunk, p.state, p.modulation).sum();
  loss.backward({}, true);
  loss.backward();
  EXPECT_THROW(loss.backward(), std::exception);
}

}  // namespace
}  // namespace cvf::kernels

// The fused convolution field equals the composed reference in double, for every flavour that this CPU runs.
#include "kernels/conv.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "kernels/batch.hpp"
#include "kernels/cpu_choice.hpp"

namespace cvf::kernels {
namespace {

using torch::Tensor;

struct ConvCase {
  const char* name;
  std::int64_t channels, height, width, patch_y, patch_x, dim;
  std::vector<std::int64_t> dilations;
  bool along_x;
  const char* boundary;
  std::int64_t batch;
  bool silu = true, winograd = true;
};

const ConvCase conv_cases[]{
    {"a usual grid", 2, 16, 16, 1, 1, 32, {1, 2, 4}, false, "zero_flux", 3},
    {"periodic", 2, 12, 20, 1, 1, 32, {1, 2, 4}, false, "periodic", 3},
    {"walls", 1, 9, 7, 1, 1, 16, {1, 3}, false, "wall", 2},
    {"four kinds of sides", 3, 10, 13, 1, 1, 17, {2, 1}, false, "y: wall/outflow, x: zero_flux/wall", 5},
    {"periodic along one axis", 1, 8, 15, 1, 1, 24, {1, 2}, false, "y: periodic, x: wall", 2},
    {"one line with kernels of 3x3", 2, 1, 5, 1, 1, 17, {1, 2}, false, "unknown", 3},
    {"one axis", 1, 1, 33, 1, 1, 48, {1, 2, 4}, true, "periodic", 4},
    {"one axis in patches", 2, 1, 24, 1, 4, 16, {1, 2}, true, "outflow", 2},
    {"dilations larger than the grid, edges", 1, 3, 4, 1, 1, 16, {5, 9}, false, "outflow", 2},
    {"dilations larger than the grid, walls", 1, 3, 4, 1, 1, 16, {5, 9}, false, "wall", 2},
    {"dilations larger than the grid, periodic", 2, 3, 4, 1, 1, 16, {5, 9}, false, "periodic", 2},
    {"patches", 4, 16, 24, 2, 2, 40, {1, 2}, false, "periodic", 3},
    {"wide", 2, 8, 40, 1, 1, 80, {1}, false, "zero_flux", 2},
    {"one cell", 3, 1, 1, 1, 1, 20, {1}, false, "wall", 1},
    {"tiles between walls", 2, 8, 12, 1, 1, 24, {1, 2}, false, "wall", 3},
    {"tiles and four kinds of sides",
     3,
     12,
     12,
     1,
     1,
     17,
     {3, 1, 2},
     false,
     "y: wall/outflow, x: zero_flux/wall",
     3},
    {"one row of tiles", 1, 8, 24, 1, 1, 16, {4}, false, "periodic", 2},
    {"one tile, mirrored", 1, 6, 6, 1, 1, 16, {3}, false, "wall", 2},
    {"more tiles than are worked on at a time",
     1,
     32,
     48,
     1,
     1,
     16,
     {1, 8},
     false,
     "y: periodic, x: outflow",
     2},
    {"wide tiles", 1, 12, 16, 1, 1, 144, {2}, false, "periodic", 2},
    {"GELU on a usual grid", 2, 16, 16, 1, 1, 32, {1, 2, 4}, false, "zero_flux", 3, false},
    {"GELU in patches", 4, 16, 24, 2, 2, 40, {1, 2}, false, "periodic", 3, false},
};

Linear kernel(std::vector<std::int64_t> shape) {
  const double inner = static_cast<double>(c10::multiply_integers(shape)) / static_cast<double>(shape[0]);
  return {(torch::randn(shape, torch::kDouble) / std::sqrt(inner)).to(torch::kFloat),
          0.1 * torch::randn({shape[0]})};
}

ConvTrunk random_trunk(const ConvCase& c) {
  ConvTrunk out;
  out.size = {c.channels,
              c.patch_y,
              c.patch_x,
              c.dim,
              c.dilations,
              c.along_x,
              parse_boundary(c.boundary)->along("y"),
              parse_boundary(c.boundary)->along("x"),
              c.silu,
              c.winograd};
  const std::int64_t lines = c.along_x ? 1 : 3, inputs = out.size.inputs();
  out.lift = kernel({c.dim, inputs, lines, 3});
  for (std::size_t i = 0; i < c.dilations.size(); ++i)
    out.blocks.push_back({kernel({c.dim, c.dim, lines, 3}), kernel({c.dim, c.dim})});
  out.output = kernel({inputs, c.dim, lines, 3});
  out.cache = make_conv_cache();
  return out;
}

struct ConvProblem {
  explicit ConvProblem(const ConvCase& c)
      : trunk(random_trunk(c)),
        state(torch::randn({c.batch, c.channels, c.height, c.width})),
        modulation(0.3 * torch::randn({c.batch, trunk.size.modulation_values()})),
        direction(torch::randn_like(state)) {}

  ConvTrunk trunk;
  Tensor state, modulation, direction;
};

struct ConvAnswer {
  Tensor velocity;
  std::vector<Tensor> gradients;  // state, modulation, weights
};

ConvTrunk with_weights(ConvTrunk trunk, const std::vector<Tensor>& weights) {
  std::size_t next = 0;
  const auto take = [&](Linear& l) { l = {weights[next], weights[next + 1]}, next += 2; };
  take(trunk.lift);
  for (auto& b : trunk.blocks) take(b.spatial), take(b.mix);
  take(trunk.output);
  return trunk;
}

ConvAnswer answer_of(const ConvProblem& p, bool fused) {
  const auto type = fused ? torch::kFloat : torch::kDouble;
  std::vector<Tensor> leaves{p.state, p.modulation};
  for (const auto& w : flat_weights(p.trunk)) leaves.push_back(w);
  for (auto& leaf : leaves) leaf = leaf.detach().to(type).clone().requires_grad_();
  const ConvTrunk trunk = with_weights(p.trunk, {leaves.begin() + 2, leaves.end()});
  const Tensor velocity =
      fused ? fused_conv(trunk, leaves[0], leaves[1]) : composed_conv(trunk, leaves[0], leaves[1]);
  return {velocity.detach(), torch::autograd::grad({velocity}, leaves, {p.direction.to(type)})};
}

double distance(const Tensor& a, const Tensor& b) {
  return ((a.to(torch::kDouble) - b).norm() / (b.norm() + 1e-12)).item<double>();
}

void expect_equal(const ConvCase& c, const std::string& what) {
  torch::manual_seed(0);  // the same problem for both ways of convolving
  const ConvProblem p(c);
  const ConvAnswer truth = answer_of(p, false), ours = answer_of(p, true);
  EXPECT_LT(distance(ours.velocity, truth.velocity), 2e-6) << c.name << what;
  for (std::size_t i = 0; i < truth.gradients.size(); ++i)
    EXPECT_LT(distance(ours.gradients[i], truth.gradients[i]), 1e-5) << c.name << what << ", gradient " << i;
  torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::equal(fused_conv(p.trunk, p.state, p.modulation), ours.velocity))
      << c.name << what << ", inference";
}

class FusedConvolution : public testing::Test {
 protected:
  const std::size_t usual_budget_ = activation_budget_bytes();
  void TearDown() override {
    omp_set_num_threads(2);
    use_kernels(*runnable_kernels().back());
    set_activation_budget(usual_budget_);
  }
};

TEST_F(FusedConvolution, EqualsTheComposedReferenceOnEveryFlavour) {
  for (const auto* kernels : runnable_kernels()) {
    use_kernels(*kernels);
    for (auto c : conv_cases) {
      expect_equal(c, std::string(" on ") + kernels->name);
      c.winograd = false;
      expect_equal(c, std::string(" tap by tap on ") + kernels->name);
    }
  }
}

TEST_F(FusedConvolution, EqualsItWithAnyNumberOfThreadsAndWithoutKeptActivations) {
  for (const int threads : {1, 2, 3, 5}) {
    omp_set_num_threads(threads);
    for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
      set_activation_budget(budget);
      for (const auto& c : {conv_cases[0], conv_cases[3], conv_cases[6], conv_cases[13]})
        expect_equal(c, " with " + std::to_string(threads) + " threads");
    }
  }
}

TEST_F(FusedConvolution, GivesTheSameBitsWhicheverThreadTakesWhichSamples) {
  ConvCase c = conv_cases[0];
  c.batch = 17;
  const ConvProblem p(c);
  omp_set_num_threads(5);  // more threads than cores are held up at random
  const ConvAnswer first = answer_of(p, true);
  for (int again = 0; again < 5; ++again) {
    const ConvAnswer next = answer_of(p, true);
    for (std::size_t i = 0; i < first.gradients.size(); ++i)
      EXPECT_TRUE(torch::equal(next.gradients[i], first.gradients[i])) << i;
  }
}

TEST_F(FusedConvolution, MovesWithAShiftOfAPeriodicGridToTheLastBit) {
  for (const auto* kernels : runnable_kernels()) {
    use_kernels(*kernels);
    ConvCase c = conv_cases[1];
    torch::NoGradGuard no_grad;
    const auto shifted = [&](const ConvProblem& p, std::int64_t y, std::int64_t x) {
      return fused_conv(p.trunk, p.state.roll({y, x}, {2, 3}), p.modulation).roll({-y, -x}, {2, 3});
    };
    const ConvProblem by_tiles(c);
    const Tensor there = fused_conv(by_tiles.trunk, by_tiles.state, by_tiles.modulation);
    EXPECT_TRUE(torch::equal(shifted(by_tiles, 4, 12), there)) << kernels->name << ", by whole tiles";
    EXPECT_LT(distance(shifted(by_tiles, 5, 7), there.to(torch::kDouble)), 2e-6) << kernels->name;
    c.winograd = false;
    const ConvProblem p(c);
    EXPECT_TRUE(torch::equal(shifted(p, 5, 7), fused_conv(p.trunk, p.state, p.modulation))) << kernels->name;
  }
}

TEST_F(FusedConvolution, GoesByTilesWhereTheGridHoldsAWholeNumberOfThem) {
  const auto distance_of_the_two = [](ConvCase c) {
    torch::manual_seed(1);
    const ConvProblem tiled(c);
    c.winograd = false;
    torch::manual_seed(1);
    const ConvProblem direct(c);
    torch::NoGradGuard no_grad;
    return distance(fused_conv(tiled.trunk, tiled.state, tiled.modulation),
                    fused_conv(direct.trunk, direct.state, direct.modulation).to(torch::kDouble));
  };
  EXPECT_GT(distance_of_the_two(conv_cases[0]), 0) << "rounded otherwise";
  EXPECT_EQ(distance_of_the_two(conv_cases[2]), 0) << "an odd number of cells";
  EXPECT_EQ(distance_of_the_two(conv_cases[6]), 0) << "one axis";
}

TEST_F(FusedConvolution, TakesGridsOfAnySizeOneAfterTheOther) {
  const ConvProblem p(conv_cases[0]);
  torch::NoGradGuard no_grad;
  for (const std::int64_t side : {16, 24, 5, 16, 64, 7, 8, 9, 10, 11, 12, 16}) {
    const Tensor state = torch::randn({3, 2, side, side + 3});
    EXPECT_LT(distance(fused_conv(p.trunk, state, p.modulation),
                       composed_conv(p.trunk, state, p.modulation).to(torch::kDouble)),
              5e-6)
        << side;
  }
}

TEST_F(FusedConvolution, NoticesThatItsWeightsHaveChanged) {
  const ConvProblem p(conv_cases[0]);
  torch::NoGradGuard no_grad;
  const Tensor before = fused_conv(p.trunk, p.state, p.modulation);
  p.trunk.lift.weight.mul_(1.5);
  const Tensor after = fused_conv(p.trunk, p.state, p.modulation);
  EXPECT_FALSE(torch::equal(before, after));
  EXPECT_LT(distance(after, composed_conv(p.trunk, p.state, p.modulation).to(torch::kDouble)), 5e-6);
}

TEST_F(FusedConvolution, HasGradientsOfGradientsByTheComposedOperations) {
  const ConvProblem p(conv_cases[2]);
  const Tensor state = p.state.clone().requires_grad_();
  const auto second = [&](const Tensor& velocity) {
    const Tensor first = torch::autograd::grad({velocity.square().sum()}, {state}, {}, true, true)[0];
    return torch::autograd::grad({first.square().sum()}, {state})[0];
  };
  EXPECT_LT(distance(second(fused_conv(p.trunk, state, p.modulation)),
                     second(composed_conv(p.trunk, state, p.modulation)).to(torch::kDouble)),
            1e-4);
}

TEST(SourceCell, WrapsMirrorsOrRepeatsTheEdge) {
  const auto at = [](const char* text, std::int64_t i) {
    return source_cell(i, 4, parse_boundary(text)->along("x"));
  };
  EXPECT_EQ(at("periodic", -1), 3);
  EXPECT_EQ(at("periodic", -9), 3);
  EXPECT_EQ(at("periodic", 4), 0);
  EXPECT_EQ(at("outflow", -3), 0);
  EXPECT_EQ(at("outflow", 9), 3);
  EXPECT_EQ(at("wall", -1), 0);
  EXPECT_EQ(at("wall", -3), 2);
  EXPECT_EQ(at("wall", 4), 3);
  EXPECT_EQ(at("wall", 8), 0) << "mirrored at both walls";
  EXPECT_EQ(at("wall/outflow", -6), 3) << "mirrored beyond the other edge";
}

}  // namespace
}  // namespace cvf::kernels

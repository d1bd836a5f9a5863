#include "fields/field.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "fields/sit.hpp"

namespace cvf::fields {
namespace {

FieldPointer make(std::string_view name, const StateShape& shape, const std::string& toml) {
  auto settings = find(registry(), name, "field").settings();
  config::Document::from_text(toml, "t").read([&](config::Section& s) { settings->describe(s); });
  return settings->build(shape, 7);
}

FieldPointer small(std::string_view name) {
  if (name == "mlp") return make(name, {3, 0, 0, 0.1}, "width = 12\ndepth = 2");
  return make(name, {2, 8, 12, 0.1},
              std::string("patch = 4\nwidth = 24\ndepth = 2\n") + (name == "sit" ? "heads = 3" : ""));
}

torch::Tensor random_state(const VelocityField& field, std::int64_t batch) {
  const auto& s = field.shape();
  return s.is_vector() ? torch::randn({batch, s.channels})
                       : torch::randn({batch, s.channels, s.height, s.width});
}

void stir(VelocityField& field) {  // away from the zeros it starts with
  torch::NoGradGuard no_grad;
  torch::manual_seed(3);
  for (auto& p : field.parameters()) p.add_(0.1 * torch::randn_like(p));
}

std::string sentence_of(const StateShape& shape, const std::string& toml) {
  try {
    make("sit", shape, toml);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(EveryField, StartsAtZeroVelocity) {
  for (const auto& row : registry()) {
    auto field = small(row.name);
    const auto psi = field->forward(random_state(*field, 2), torch::full({2}, 0.1));
    EXPECT_EQ(psi.abs().max().item<float>(), 0) << row.name;
  }
}

// What is foreseen is what is built, to the number.
TEST(EveryField, ForeseesItsSize) {
  const auto expect = [](std::string_view name, const StateShape& shape, const std::string& toml) {
    auto settings = find(registry(), name, "field").settings();
    config::Document::from_text(toml, "t").read([&](config::Section& s) { settings->describe(s); });
    const auto field = settings->build(shape, 7);
    auto count = field->parameter_count();
    for (const auto& buffer : field->buffers()) count += buffer.numel();
    EXPECT_EQ(settings->values(shape), static_cast<double>(count)) << name;
  };
  expect("mlp", {3, 0, 0, 0.1}, "width = 12\ndepth = 2");
  expect("mlp", {1, 0, 0, 0.1}, "width = 5\ndepth = 1\nexpansion = 3");
  expect("sit", {2, 8, 12, 0.1}, "patch = 4\nwidth = 24\ndepth = 2\nheads = 3");
  expect("sit", {1, 6, 6, 0.1}, "patch = 1\nwidth = 8\ndepth = 1\nheads = 1");
  expect("conv", {2, 8, 12, 0.1}, "patch = 4\nwidth = 24\ndepth = 2");
  expect("conv", {3, 1, 9, 0.1}, "patch = 3\nwidth = 7\ndilations = [1, 5]");
}

TEST(EveryField, GivesOneSampleTheSameAnswerInAnyBatch) {
  for (const auto& row : registry()) {
    auto field = small(row.name);
    stir(*field);
    const auto states = random_state(*field, 5);
    const auto dt = torch::tensor({0.1f, 0.0f, -0.1f, 0.03f, 1.0f});
    const auto together = field->forward(states, dt);
    for (int i = 0; i < 5; ++i) {
      const auto alone = field->forward(states.narrow(0, i, 1), dt.narrow(0, i, 1));
      const double largest = together[i].abs().max().item<double>();
      EXPECT_LT((alone[0] - together[i]).abs().max().item<double>(), 2e-6 * largest) << row.name;
    }
  }
}

TEST(EveryField, SeesTheStepUnlessToldOtherwise) {
  for (const auto& row : registry()) {
    auto field = small(row.name);
    stir(*field);
    const auto state = random_state(*field, 1);
    const auto forward = field->forward(state, torch::full({1}, 0.1)),
               back = field->forward(state, torch::full({1}, -0.1));
    EXPECT_GT((forward - back).abs().max().item<float>(), 1e-4) << row.name;
  }
  auto blind = make("mlp", {3, 0, 0, 0.1}, "conditioned = false");
  stir(*blind);
  const auto state = random_state(*blind, 1);
  EXPECT_TRUE(torch::equal(blind->forward(state, torch::zeros(1)), blind->forward(state, torch::ones(1))));
}

TEST(EveryField, IsDrawnFromItsSeedAlone) {
  for (const auto& row : registry()) {
    auto a = small(row.name), b = small(row.name);
    const auto of_a = a->parameters(), of_b = b->parameters();
    for (std::size_t i = 0; i < of_a.size(); ++i) EXPECT_TRUE(torch::equal(of_a[i], of_b[i])) << row.name;
  }
}

TEST(EveryField, RefusesStatesAndStepsOfOtherShapes) {
  for (const auto& row : registry()) {
    auto field = small(row.name);
    EXPECT_THROW(field->forward(torch::zeros({2, 9, 8, 8}), torch::zeros(2)), ModelError) << row.name;
    EXPECT_THROW(field->forward(random_state(*field, 2), torch::zeros(3)), ModelError) << row.name;
  }
}

TEST(AnyGrid, IsTakenByFieldsWithoutPositionsAlone) {
  for (const auto& row : registry()) {
    auto field = small(row.name);
    EXPECT_EQ(field->any_grid(), row.name == "conv");
    if (row.name == "mlp") continue;
    const auto shown = [&](std::int64_t height, std::int64_t width) {
      return field->forward(torch::zeros({1, 2, height, width}), torch::zeros(1)).size(2) == height;
    };
    EXPECT_TRUE(shown(8, 12));
    if (row.name == "conv") {
      EXPECT_TRUE(shown(16, 4));
      EXPECT_THROW(shown(1, 12), ModelError) << "a line is no plane";
    } else {
      EXPECT_THROW(shown(16, 12), ModelError);
    }
  }
}

TEST(Sit, NamesThePatchesAndSizesThatFit) {
  EXPECT_EQ(sentence_of({2, 30, 32, 1}, "patch = 4"),
            "field.patch = 4 does not divide the grid of 30 x 32 (y x x): 1, 2 would");
  EXPECT_EQ(sentence_of({2, 32, 3, 1}, "patch = 4"),
            "field.patch = 4 does not divide the grid of 32 x 3 (y x x): 1 would");
  EXPECT_EQ(sentence_of({2, 32, 32, 1}, "width = 100\nheads = 3"),
            "field.width = 100 does not split into field.heads = 3: 96 or 108 would fit");
  EXPECT_EQ(sentence_of({2, 32, 32, 1}, "width = 90\nheads = 3"),
            "field.width = 90 must be a multiple of 4 (sine-cosine positions): 88 or 92 would fit");
  EXPECT_EQ(sentence_of({2, 0, 0, 1}, ""),
            "field 'sit' needs states on a grid; for vector states take 'mlp'");
}

TEST(Sit, CountsItsParametersAndWork) {
  auto field = make("sit", {2, 64, 64, 0.1}, "width = 128\ndepth = 4\nheads = 4");
  const std::int64_t block = 128 * (3 + 1 + 4 + 4 + 6) * 128 + (3 + 1 + 4 + 1 + 6) * 128;
  const std::int64_t edges = 2 * 32 * 128 + 128 + 32 + 128 * 256 + 256 + (128 + 128) * 128 + 2 * 128;
  EXPECT_EQ(field->parameter_count(), 4 * block + edges);
  const double stream = 4 * (24.0 * 256 * 128 * 128 + 4.0 * 256 * 256 * 128);
  EXPECT_NEAR(field->flops() / stream, 1, 0.02);
  EXPECT_NE(summary("sit", *field).find("sit for 2x64x64: "), std::string::npos);
}

TEST(Sit, HasPlainParameterNames) {
  auto field = small("sit");
  EXPECT_TRUE(field->named_parameters().contains("blocks.1.expand.weight"));
  EXPECT_TRUE(field->named_parameters().contains("step.first.bias"));
}

}  // namespace
}  // namespace cvf::fields

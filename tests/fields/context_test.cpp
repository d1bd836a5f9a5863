// Contexts: the polynomial of a control over a part of a step, and fields that see parameters, controls and
// static fields.
#include "fields/context.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/registry.hpp"
#include "fields/field.hpp"

namespace cvf::fields {
namespace {

using torch::Tensor;

Tensor doubles(std::vector<double> values) {
  return torch::tensor(values, torch::kDouble);
}

// 2 - 3 x + 5 x^2 (up to the degree that `nodes` can carry) at nodes from `begin` to `end` of a step.
Tensor polynomial(std::int64_t nodes, double begin, double end) {
  const Tensor x = nodes == 1 ? doubles({begin})
                              : torch::linspace(begin, end, nodes, torch::TensorOptions(torch::kDouble));
  Tensor out = torch::full_like(x, 2);
  if (nodes > 1) out = out - 3 * x;
  if (nodes > 2) out = out + 5 * x * x;
  return out.view({1, nodes, 1});
}

TEST(ContextOverAPart, IsTheSamePolynomialAtTheNodesOfThePart) {
  for (const std::int64_t nodes : {1, 2, 3}) {
    for (const auto& [begin, end] : {std::pair{0.0, 0.3}, {0.3, 1.0}, {0.6, 0.6}, {1.0, 0.7}, {0.5, 1.5}}) {
      const Tensor part = at_part(polynomial(nodes, 0, 1), doubles({begin}), doubles({end}));
      EXPECT_LT((part - polynomial(nodes, nodes == 1 ? 0 : begin, end)).abs().max().item<double>(), 1e-13)
          << nodes << " nodes, " << begin << " to " << end;
    }
  }
}

TEST(ContextOverAPart, OfAPartIsThatOfTheWhole) {
  const Tensor whole = torch::randn({4, 3, 2}, torch::kDouble);
  const Tensor first = at_part(whole, doubles({.2, .2, .1, 0}), doubles({.8, .9, .7, .5}));
  const Tensor inner = at_part(first, doubles({.5, .5, .5, .5}), doubles({1, 1, 1, 1}));
  const Tensor direct = at_part(whole, doubles({.5, .55, .4, .25}), doubles({.8, .9, .7, .5}));
  EXPECT_LT((inner - direct).abs().max().item<double>(), 1e-13);
}

TEST(ContextOverAPart, LeavesParametersAndStaticFieldsAlone) {
  Interval interval{{.parameters = torch::randn({2, 3}), .statics = torch::randn({2, 1, 4})},
                    doubles({1, 2})};
  const Context part = interval.part(doubles({0, 0}), doubles({.5, .5}));
  EXPECT_TRUE(part.parameters.equal(interval.context.parameters));
  EXPECT_TRUE(part.statics.equal(interval.context.statics));
}

StateShape shape_for(const std::string& name) {
  StateShape out{2, name == "mlp" ? 0 : 8, name == "mlp" ? 0 : 8, 0.5};
  out.parameters = 2;
  out.controls = 1;
  out.nodes = 2;
  if (name != "mlp") out.statics = out.control_fields = 1;
  return out;
}

class FieldInContext : public testing::TestWithParam<std::string> {
 protected:
  FieldInContext() {
    const auto settings = find(registry(), GetParam(), "field").settings();
    const auto text =
        GetParam() == "sit" ? "width = 16\nheads = 2\ndepth = 1\npatch = 4" : "width = 16\ndepth = 1";
    config::Document::from_text(text, "field").read([&](config::Section& s) { settings->describe(s); });
    field_ = settings->build(shape_for(GetParam()), 3);
    const torch::NoGradGuard none;
    for (auto& p : field_->named_parameters()) {  // zero-initialised layers would hide everything
      if (p.value().abs().max().item<double>() == 0) p.value().normal_(0, 0.3);
    }
    const std::vector<std::int64_t> grid =
        GetParam() == "mlp" ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{8, 8};
    const auto sized = [&](std::vector<std::int64_t> sizes) {
      sizes.insert(sizes.end(), grid.begin(), grid.end());
      return torch::randn(sizes);
    };
    torch::manual_seed(1);
    query_ = {sized({3, 2}), torch::full({3}, 0.25, torch::kDouble), {}};
    query_.context.parameters = torch::randn({3, 2});
    query_.context.controls = torch::randn({3, 2, 1});
    if (!grid.empty()) {
      query_.context.statics = sized({3, 1});
      query_.context.control_fields = sized({3, 2, 1});
    }
  }

  FieldPointer field_;
  Query query_;
};

TEST_P(FieldInContext, GivesAVelocityShapedAsTheState) {
  EXPECT_TRUE(field_->forward(query_).sizes().equals(query_.state.sizes()));
}

TEST_P(FieldInContext, DependsOnEveryPartOfItsOwnRow) {
  const torch::NoGradGuard none;
  const Tensor before = field_->forward(query_).clone();
  for (Tensor Context::*part :
       {&Context::parameters, &Context::controls, &Context::statics, &Context::control_fields}) {
    if (!(query_.context.*part).defined()) continue;
    Query other = query_;
    other.context.*part = (query_.context.*part).clone();
    (other.context.*part)[1] += 1;
    const Tensor change = (field_->forward(other) - before).abs().flatten(1).amax(1);
    EXPECT_GT(change[1].item<double>(), 1e-4);
    EXPECT_LT(change[0].item<double>() + change[2].item<double>(), 1e-6) << "a neighbour's context was seen";
  }
}

TEST_P(FieldInContext, HasGradientsThatFiniteDifferencesConfirm) {
  field_->to(torch::kDouble);
  const auto as_double = [](Tensor& t) {
    if (t.defined()) t = t.to(torch::kDouble);
  };
  as_double(query_.state);
  for (Tensor Context::*part :
       {&Context::parameters, &Context::controls, &Context::statics, &Context::control_fields}) {
    as_double(query_.context.*part);
  }
  query_.context.parameters.requires_grad_();
  const Tensor weights = torch::randn_like(query_.state);
  const auto loss = [&] { return (field_->forward(query_) * weights).sum(); };
  const Tensor gradient = torch::autograd::grad({loss()}, {query_.context.parameters})[0];
  const torch::NoGradGuard none;
  const double h = 1e-6;
  query_.context.parameters[2][1] += h;
  const double above = loss().item<double>();
  query_.context.parameters[2][1] -= 2 * h;
  const double below = loss().item<double>();
  EXPECT_NEAR(gradient[2][1].item<double>(), (above - below) / (2 * h), 1e-6);
}

TEST_P(FieldInContext, RefusesAContextThatIsNotItsOwn) {
  const auto sentence = [&](const Query& query) {
    try {
      field_->forward(query);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(sentence({query_.state, query_.dt}), "this field takes 2 parameters for each state, not 0");
  Query other = query_;
  other.context.controls = torch::randn({3, 3, 1});
  EXPECT_EQ(sentence(other), "this field sees controls at 2 nodes of a step, not at 3");
  other = query_;
  other.context.parameters = torch::randn({2, 2});
  EXPECT_EQ(sentence(other), "3 states have the parameters of 2");
}

INSTANTIATE_TEST_SUITE_P(Of, FieldInContext, testing::Values("mlp", "conv", "sit"),
                         [](const auto& values) { return values.param; });

}  // namespace
}  // namespace cvf::fields

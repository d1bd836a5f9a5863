// Properties of every row of the registry, and options in pairs.
#include "objectives/objective.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "fields/conv.hpp"
#include "fields/mlp.hpp"
#include "fields/sit.hpp"
#include "objectives/parts/shared.hpp"
#include "support/objectives.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

fields::FieldPointer made(const std::string& name) {
  const fields::StateShape grid{2, 4, 4, 0.1};
  if (name == "mlp") {
    fields::Mlp::Options options;
    options.width = 8;
    options.depth = 1;
    return std::make_shared<fields::Mlp>(fields::StateShape{3, 0, 0, 0.1}, options, 5);
  }
  if (name == "conv") {
    fields::Conv::Options options;
    options.width = 6;
    options.dilations = {1, 3};
    return std::make_shared<fields::Conv>(grid, options, 5);
  }
  fields::Sit::Options options;
  options.patch = 2;
  options.width = 8;
  options.depth = 1;
  options.heads = 2;
  return std::make_shared<fields::Sit>(grid, options, 5);
}

fields::FieldPointer tiny(const std::string& name) {
  fields::FieldPointer field = made(name);
  field->to(torch::kDouble);
  torch::manual_seed(6);
  const torch::NoGradGuard no_grad;
  for (auto& p : field->parameters()) p.add_(0.2 * torch::randn_like(p));  // away from its first zeros
  return field;
}

// Four rows with steps of their own, one of them negative; a spline's ends as numbers.
Batch some_batch(const fields::StateShape& shape, torch::Dtype dtype = torch::kDouble) {
  torch::manual_seed(7);
  const auto draw = [&] {
    return (shape.is_vector() ? torch::randn({4, shape.channels}, torch::kDouble)
                              : torch::randn({4, shape.channels, shape.height, shape.width}, torch::kDouble))
        .to(dtype);
  };
  Batch out;
  out.steps = torch::tensor({0.1, 0.2, 0.05, -0.1}, torch::kDouble).repeat({3, 1});
  const Tensor drift = draw();
  out.frames.push_back({draw()});
  for (std::size_t i = 1; i < 4; ++i) {
    const Tensor velocity = drift + 0.2 * draw();
    out.frames.push_back({out.state(i - 1) + per_row(out.step(0), drift) * velocity});
  }
  for (int i = 0; i < 2; ++i) {
    out.slopes.push_back(drift + 0.1 * draw());
    out.curvatures.push_back(draw());
  }
  return out;
}

struct Setting {
  std::string name, toml;
};

Tensor total(const Setting& setting, fields::VelocityField& field, const Batch& batch) {
  static std::map<std::int64_t, std::unique_ptr<normalizers::Normalizer>> kept;  // backward passes use it too
  auto& normalizer = kept[field.shape().channels];
  if (!normalizer) normalizer = test::some_scaling(field.shape().channels);
  const auto objective = test::objective(setting.name, setting.toml);
  return objective->loss({field, *normalizer}, batch, objective->draw({9, 40, 4})).total;
}

// |g.d - dL(p + x d)/dx| relative to the larger of them, for a random direction d; the derivative by a
// central difference of fourth order, which a stiff loss needs.
double gradient_error(const Setting& setting, fields::VelocityField& field) {
  const Batch batch = some_batch(field.shape());
  field.zero_grad();
  total(setting, field, batch).backward();
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> direction;
  double along = 0;
  for (const auto& p : field.parameters()) {
    direction.push_back(torch::randn_like(p));
    if (p.grad().defined()) along += (p.grad() * direction.back()).sum().item<double>();
  }
  double at = 0;
  const auto loss_at = [&](double x) {
    auto parameters = field.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].add_((x - at) * direction[i]);
    at = x;
    return total(setting, field, batch).item<double>();
  };
  const double e = 1e-5;
  const double measured = (8 * (loss_at(e) - loss_at(-e)) - (loss_at(2 * e) - loss_at(-2 * e))) / (12 * e);
  loss_at(0);
  return std::abs(along - measured) / std::max(std::abs(along), std::abs(measured));
}

std::vector<Setting> settings_of_every_row() {
  std::vector<Setting> out;
  for (const auto& row : registry()) {
    // pushforward stops gradients on purpose, so only its first step is a plain function of the weights
    const std::string plain = row.name == "pushforward" ? "steps = 1" : "";
    out.push_back({std::string(row.name), plain});
    if (row.name != "cvf" && row.name != "osg")
      out.push_back({std::string(row.name), plain + "\nconditioned = true"});
  }
  for (const char* toml : {"spline = \"quintic\""}) out.push_back({"tm", toml});
  for (const char* toml : {"steps = 3", "steps = 3\nrecompute = true"}) out.push_back({"node", toml});
  return out;
}

std::vector<Setting> pairs_of_options() {
  const std::vector<std::string> options{"lambda = 0.3",
                                         "rupture.corners = 5",
                                         "rupture.r = \"beta\"",
                                         "rupture.r = \"half\"",
                                         "rupture.span = \"whole\"",
                                         "rupture.bidirectional = true",
                                         "rupture.rows = 0.5",
                                         "anchor = 0.4",
                                         "push = {weight = 0.5, gradient = true}",
                                         "tangent.weight = 0.5",
                                         "tangent.spline = \"cubic\"",
                                         "tangent.spline = \"quintic\""};
  std::vector<Setting> out;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options[i].substr(0, 12) == options[j].substr(0, 12) && options[i][0] == 't') continue;
      if (options[i].starts_with("rupture.r ") && options[j].starts_with("rupture.r ")) continue;
      const std::string both = options[j] + "\n" + options[i];
      const bool rows = both.find("rupture.rows") != std::string::npos;
      out.push_back({"cvf", both + (rows ? "" : "\nrupture.rows = 1")});
    }
  }
  return out;
}

TEST(EveryObjective, HasTheGradientOfItsLoss) {
  for (const char* backbone : {"mlp", "sit", "conv"}) {
    auto field = tiny(backbone);
    for (const auto& setting : settings_of_every_row()) {
      EXPECT_LT(gradient_error(setting, *field), 1e-6)
          << backbone << " " << setting.name << " " << setting.toml;
    }
  }
}

TEST(EveryPairOfOptions, HasTheGradientOfItsLoss) {
  auto field = tiny("mlp");
  const auto pairs = pairs_of_options();
  EXPECT_GT(pairs.size(), 25u);
  for (const auto& setting : pairs) EXPECT_LT(gradient_error(setting, *field), 1e-6) << setting.toml;
}

TEST(EveryObjective, GivesTheMeanOfWhatItsRowsGiveAlone) {
  std::vector<Setting> settings{{"cvf", "rupture.rows = 0.3\nanchor = 1\npush.weight = 1"},
                                {"osg", "rows = 0.3"}};
  for (const auto& row : registry()) settings.push_back({std::string(row.name), ""});
  for (const auto& setting : settings) {
    auto field = tiny("mlp");
    const Batch batch = some_batch(field->shape());
    const auto normalizer = test::some_scaling(3);
    const auto objective = test::objective(setting.name, setting.toml);
    const Tensor together = objective->loss({*field, *normalizer}, batch, objective->draw({9, 40, 4})).total;
    double alone = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
      Batch one{{}, batch.steps.narrow(1, i, 1), {}, {}};
      for (const auto& frame : batch.frames) one.frames.push_back({frame.value.narrow(0, i, 1)});
      for (const auto& slope : batch.slopes) one.slopes.push_back(slope.narrow(0, i, 1));
      const Draws draws = objective->draw({9, 40 + static_cast<std::uint64_t>(i), 1});
      alone += objective->loss({*field, *normalizer}, one, draws).total.item<double>() / 4;
    }
    EXPECT_NEAR(alone, together.item<double>(), 1e-12 * alone) << setting.name;
  }
}

TEST(EveryObjective, TrainsInFloat) {
  for (const auto& row : registry()) {
    for (const char* backbone : {"mlp", "sit", "conv"}) {
      auto field = tiny(backbone);
      const double exact =
          total({std::string(row.name), ""}, *field, some_batch(field->shape())).item<double>();
      field->to(torch::kFloat);
      field->zero_grad();
      const Tensor loss =
          total({std::string(row.name), ""}, *field, some_batch(field->shape(), torch::kFloat));
      loss.backward();
      EXPECT_NEAR(loss.item<double>(), exact, 1e-4 * exact) << row.name;
      for (const auto& p : field->parameters())
        EXPECT_TRUE(!p.grad().defined() || p.grad().isfinite().all().item<bool>()) << row.name;
    }
  }
}

TEST(EveryObjective, ExplainsItselfAndShowsTheStepToSecantFieldsOnly) {
  for (const auto& row : registry()) {
    auto settings = row.settings();
    EXPECT_FALSE(config::explain([&](config::Section& s) { settings->describe(s); }).empty());
    const bool secant_of_any_step = row.name == "cvf" || row.name == "osg";
    EXPECT_EQ(test::objective(row.name)->needs().conditioned, secant_of_any_step) << row.name;
    EXPECT_TRUE(row.default_solver == "euler" || row.default_solver == "rk4" || row.default_solver == "gcs")
        << row.name;
  }
}

TEST(EveryObjective, RefusesABatchThatLacksWhatItNeeds) {
  auto field = tiny("mlp");
  Batch batch = some_batch(field->shape());
  batch.frames.resize(2);
  EXPECT_THROW(total({"pushforward", ""}, *field, batch), UsageError);
  batch.curvatures.clear();
  EXPECT_THROW(total({"tm", "spline = \"quintic\""}, *field, batch), UsageError);
  batch.slopes.clear();
  EXPECT_THROW(total({"tm", ""}, *field, batch), UsageError);
  EXPECT_THROW(total({"cvf", "tangent.spline = \"cubic\""}, *field, batch), UsageError);
}

TEST(ScaledRupture, WithFullSpansIsThePapers) {
  auto field = tiny("mlp");
  const Batch batch = some_batch(field->shape());
  const auto normalizer = test::some_scaling(3);
  for (const char* bidirectional : {"false", "true"}) {
    const auto objective =
        test::objective("cvf", std::string("recipe = \"paper\"\nrupture.bidirectional = ") + bidirectional);
    Draws draws = objective->draw({9, 0, 4});
    const double paper = objective->loss({*field, *normalizer}, batch, draws).total.item<double>();
    draws.spans = torch::ones(4, torch::kDouble);
    EXPECT_EQ(objective->loss({*field, *normalizer}, batch, draws).total.item<double>(), paper);
    draws.spans[2] = 0.5;
    EXPECT_NE(objective->loss({*field, *normalizer}, batch, draws).total.item<double>(), paper);
  }
}

TEST(Rupture, InBothOrdersIsTheMeanOfTheTwo) {
  auto network = tiny("mlp");
  const Batch batch = some_batch(network->shape());
  const auto normalizer = test::some_scaling(3);
  const ScaledField field{*network, *normalizer};
  const auto rupture_of = [&](const char* toml, const Draws& draws) {
    return test::objective("cvf", toml)->loss(field, batch, draws).parts[1].second.item<double>();
  };
  const Draws draws = test::objective("cvf", "rupture.rows = 1")->draw({9, 0, 4});
  Draws turned = draws;
  turned.shares = draws.shares.flip(0);
  EXPECT_NEAR(rupture_of("rupture.both_orders = true", draws),
              (rupture_of("", draws) + rupture_of("", turned)) / 2, 1e-14);
}

// The gradients of a field's first weights from one part of a loss.
std::vector<Tensor> gradients_of(fields::VelocityField& field, const Tensor& loss) {
  field.zero_grad();
  loss.backward();
  std::vector<Tensor> out;
  for (const auto& p : field.parameters())
    out.push_back(p.grad().defined() ? p.grad().clone() : torch::zeros_like(p));
  return out;
}

TEST(Rupture, StopsTheGradientOfOneSideOnly) {
  auto field = tiny("mlp");
  const Batch batch = some_batch(field->shape());
  const auto normalizer = test::some_scaling(3);
  const auto of = [&](const char* side) {
    const auto objective =
        test::objective("cvf", fmt::format("rupture.stop_gradient = \"{}\"\nrupture.rows = 1", side));
    const auto losses = objective->loss({*field, *normalizer}, batch, objective->draw({9, 0, 4}));
    return gradients_of(*field, losses.parts[1].second);
  };
  const auto none = of("none"), of_legs = of("long"), of_long = of("legs");
  for (std::size_t i = 0; i < none.size(); ++i) {
    EXPECT_TRUE(torch::allclose(none[i], of_legs[i] + of_long[i], 1e-10, 1e-14)) << i;
  }
  EXPECT_GT(of_legs[0].abs().max().item<double>(), 0);
  EXPECT_GT(of_long[0].abs().max().item<double>(), 0);
}

TEST(Rupture, OfAShareOfTheRowsIsTheMeanOverThoseAndFitsEveryRow) {
  auto network = tiny("mlp");
  const Batch batch = some_batch(network->shape());
  const auto normalizer = test::some_scaling(3);
  const ScaledField field{*network, *normalizer};
  const auto every = test::objective("cvf", "rupture.rows = 1"),
             half = test::objective("cvf", "rupture.rows = 0.5");
  const Draws draws = half->draw({9, 40, 4});
  ASSERT_TRUE(torch::equal(draws.closed, torch::tensor({1.0, 0.0, 1.0, 0.0}, torch::kDouble)));
  const auto all = every->loss(field, batch, every->draw({9, 40, 4}));
  const auto some = half->loss(field, batch, draws);
  EXPECT_EQ(some.parts[0].second.item<double>(), all.parts[0].second.item<double>());
  double mean = 0;
  for (const std::int64_t row : {0, 2})
    mean += every->loss(field, batch.rows(row, row + 1), every->draw({9, 40, 4}).rows(row, row + 1))
                .parts[1]
                .second.item<double>() /
            2;
  EXPECT_NEAR(some.parts[1].second.item<double>(), mean, 1e-13);
  EXPECT_DOUBLE_EQ(half->needs().evaluations, 1 + (every->needs().evaluations - 1) / 2);
}

TEST(Rupture, GrowsOverItsWarmUp) {
  auto field = tiny("mlp");
  const Batch batch = some_batch(field->shape());
  const auto normalizer = test::some_scaling(3);
  const auto objective = test::objective("cvf", "lambda = 2\nlambda_warmup = 0.4");
  const auto weight = [&](double progress) {
    const auto losses =
        objective->loss({*field, *normalizer}, batch, objective->draw({9, 0, 4, progress}).rows(0, 4));
    return (losses.total - losses.parts[0].second).item<double>() / losses.parts[1].second.item<double>();
  };
  EXPECT_NEAR(weight(0), 0, 1e-12);
  EXPECT_NEAR(weight(0.1), 0.5, 1e-12);
  EXPECT_NEAR(weight(0.4), 2, 1e-12);
  EXPECT_NEAR(weight(1), 2, 1e-12);
}

TEST(Anchor, SeesOnlyRowsWhoseEndWasObserved) {
  auto field = tiny("mlp");
  const Batch batch = some_batch(field->shape());
  const auto normalizer = test::some_scaling(3);
  const auto objective = test::objective("cvf", "anchor = 1\nrupture.rows = 1");
  Draws draws = objective->draw({9, 0, 4});
  const auto anchor = [&](const std::vector<double>& spans) {
    draws.spans = torch::tensor(spans, torch::kDouble);
    return objective->loss({*field, *normalizer}, batch, draws).parts[2].second.item<double>();
  };
  EXPECT_EQ(anchor({0.5, 0.5, 0.5, 0.5}), 0);
  const double first = anchor({1, 0.5, 0.5, 0.5}), last = anchor({0.5, 0.5, 0.5, 1});
  EXPECT_GT(first, 0);
  EXPECT_NEAR(anchor({1, 0.5, 0.5, 1}), first + last, 1e-14);
}

TEST(Push, IsTheSecantFromTheStateThatTheModelReached) {
  auto network = tiny("mlp");
  const Batch batch = some_batch(network->shape());
  const auto normalizer = test::some_scaling(3);
  const ScaledField field{*network, *normalizer};
  const auto part = [&](const char* toml) {
    return test::objective("cvf", toml)->loss(field, batch, test::objective("cvf")->draw({9, 0, 4})).parts[2];
  };
  const Tensor led = field.advance(batch.state(0), batch.step(0), field.psi(batch.state(0), batch.step(0)));
  const auto loss_from = [&](const Tensor& state) {
    return (field.psi(state, batch.step(1)) - field.target(state, batch.state(2), batch.step(1)))
        .square()
        .mean();
  };
  EXPECT_EQ(part("push.weight = 1").first, "pushed");
  const auto stopped = gradients_of(*network, part("push.weight = 1").second);
  const auto through = gradients_of(*network, part("push = {weight = 1, gradient = true}").second);
  const auto expected_through = gradients_of(*network, loss_from(led));
  const auto expected_stopped = gradients_of(
      *network,
      loss_from(
          field.advance(batch.state(0), batch.step(0), field.psi(batch.state(0), batch.step(0))).detach()));
  for (std::size_t i = 0; i < stopped.size(); ++i) {
    EXPECT_TRUE(torch::allclose(stopped[i], expected_stopped[i], 1e-10, 1e-14)) << i;
    EXPECT_TRUE(torch::allclose(through[i], expected_through[i], 1e-10, 1e-14)) << i;
  }
}

TEST(Cvf, RefusesWaysThatExcludeEachOther) {
  EXPECT_THROW(test::objective("cvf", "rupture = {bidirectional = true, both_orders = true}"), ConfigError);
  EXPECT_THROW(test::objective("cvf", "rupture = {span = \"free\", corners = 4}"), ConfigError);
}

TEST(Recipe, IsWhatTheOtherKeysAreWhereTheyAreLeftOut) {
  const auto resolved = [](const std::string& text) {
    const auto settings = find(registry(), "cvf", "objective").settings();
    const auto describe = [&](config::Section& s) { settings->describe(s); };
    const auto document = config::Document::from_text(text, "test");
    document.read(describe);
    document.read(describe);  // a run file is read twice
    return config::write(describe);
  };
  const auto has = [](const std::string& text, const char* line) {
    return text.find(line) != std::string::npos;
  };
  EXPECT_TRUE(has(resolved(""), "span = \"scaled\""));
  EXPECT_TRUE(has(resolved("recipe = \"plus\""), "span = \"scaled\""));
  EXPECT_TRUE(has(resolved("recipe = \"paper\""), "span = \"whole\""));
  EXPECT_TRUE(has(resolved(""), "rows = 0.25"));
  EXPECT_TRUE(has(resolved("recipe = \"paper\""), "rows = 1.0"));
  EXPECT_TRUE(has(resolved("recipe = \"paper\"\nrupture.rows = 0.5"), "rows = 0.5"));
  EXPECT_TRUE(has(resolved("recipe = \"paper\"\nrupture.span = \"log\""), "span = \"log\""));
  for (const char* text : {"", "recipe = \"paper\"", "recipe = \"paper\"\nrupture.span = \"scaled\""})
    EXPECT_EQ(resolved(resolved(text)), resolved(text)) << text;
}

TEST(Pushforward, SendsNoGradientThroughTheStepsThatLeadThere) {
  auto network = tiny("mlp");
  const Batch batch = some_batch(network->shape());
  const auto normalizer = test::some_scaling(3);
  const ScaledField field{*network, *normalizer};
  const auto pushed = test::objective("pushforward", "steps = 3")->loss(field, batch, {});
  pushed.parts[1].second.backward();
  std::vector<Tensor> ours;
  for (const auto& p : network->parameters()) ours.push_back(p.grad().clone());
  Batch last{{{}, batch.frames[3]}, batch.steps.narrow(0, 2, 1), {}, {}};
  {
    const torch::NoGradGuard no_grad;
    Tensor s = batch.state(0);
    const Tensor blind = torch::zeros(4, torch::kDouble);
    for (int i = 0; i < 2; ++i) s = field.advance(s, batch.step(i), field.psi(s, blind));
    last.frames[0] = {s};
  }
  network->zero_grad();
  test::objective("sm")->loss(field, last, {}).total.backward();
  std::size_t i = 0;
  for (const auto& p : network->parameters()) EXPECT_TRUE(torch::allclose(p.grad(), ours[i++], 1e-12, 1e-14));
}

TEST(NeuralOde, RecomputesToTheSameLossAndGradient) {
  auto field = tiny("sit");
  std::vector<std::vector<Tensor>> gradients;
  for (const char* toml : {"steps = 2", "steps = 2\nrecompute = true"}) {
    field->zero_grad();
    total({"node", toml}, *field, some_batch(field->shape())).backward();
    gradients.emplace_back();
    for (const auto& p : field->parameters()) gradients.back().push_back(p.grad().clone());
  }
  for (std::size_t i = 0; i < gradients[0].size(); ++i)
    EXPECT_TRUE(torch::allclose(gradients[0][i], gradients[1][i], 1e-12, 1e-15));
}

TEST(Draws, FollowTheirLaws) {
  const DrawRange range{1, 0, 20000};
  const auto moments = [](const Tensor& t) {
    return std::pair{t.mean().item<double>(), t.var().item<double>()};
  };
  const auto [uniform_mean, uniform_variance] = moments(draw_shares(range, 2, Cut::uniform)[0]);
  EXPECT_NEAR(uniform_mean, 0.5, 0.01);
  EXPECT_NEAR(uniform_variance, 1.0 / 12, 0.003);
  EXPECT_NEAR(moments(draw_shares(range, 2, Cut::beta)[0]).second, 1.0 / 20, 0.003);
  const Tensor four = draw_shares(range, 4, Cut::uniform);
  EXPECT_LT((four.sum(0) - 1).abs().max().item<double>(), 1e-15);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(moments(four[i]).first, 0.25, 0.01);
  const Tensor spans = draw_spans(range, 0.5);
  EXPECT_NEAR((spans == 1).to(torch::kDouble).mean().item<double>(), 0.5, 0.015);
  const Tensor logarithms = draw_spans(range, 1, 1.0 / 16).log2();
  EXPECT_NEAR(moments(logarithms).first, -2, 0.03);
  EXPECT_NEAR(moments(logarithms).second, 16.0 / 12, 0.03);
  const auto [sums, legs] = draw_free(range, 1, torch::empty({2, 20000}, torch::kDouble));
  EXPECT_LT((legs.sum(0) - 1).abs().max().item<double>(), 1e-15);
  for (int i = 0; i < 2; ++i) {  // each leg by itself is U(0,1), and they are independent
    EXPECT_NEAR(moments(legs[i] * sums).first, 0.5, 0.01);
    EXPECT_NEAR(moments(legs[i] * sums).second, 1.0 / 12, 0.003);
  }
  EXPECT_NEAR(moments(sums).second, 1.0 / 6, 0.005);
}

TEST(Draws, OfAShareOfTheRowsAreTheSameShareOfEveryBatch) {
  EXPECT_FALSE(draw_closed({1, 0, 8}, 1).defined());
  for (const double share : {0.5, 0.25, 0.3, 0.001}) {
    double before = 0;
    for (std::uint64_t first = 0; first < 5000; first += 10) {
      before += draw_closed({1, first, 10}, share).sum().item<double>();
      ASSERT_LT(std::abs(before - static_cast<double>(first + 10) * share), 1) << share << " " << first;
    }
  }
  EXPECT_TRUE(torch::equal(draw_closed({1, 3, 9}, 0.3),
                           torch::cat({draw_closed({1, 3, 4}, 0.3), draw_closed({1, 7, 5}, 0.3)})));
}

TEST(Draws, OfOneKindDoNotDependOnTheOptionsOfAnother) {
  const DrawRange range{1, 0, 8};
  const auto plain = test::objective("cvf", "rupture.span = \"whole\"")->draw(range);
  const auto scaled = test::objective("cvf")->draw(range);
  EXPECT_FALSE(plain.spans.defined());
  EXPECT_TRUE(scaled.spans.defined());
  EXPECT_TRUE(torch::equal(plain.shares, scaled.shares));
}

}  // namespace
}  // namespace cvf::objectives

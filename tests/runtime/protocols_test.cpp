// The protocols over a model of the runtime and over the same model in tensors: equal states, equal counts.
#include "rollout/protocols.hpp"

#include "core/errors.hpp"
#include "rollout/runtime_model.hpp"
#include "run/solver_of.hpp"
#include "runtime/models.hpp"

namespace cvf::rollout {
namespace {

using test::Kind;
using torch::Tensor;

constexpr double round_off = 1e-6;

/// Both sides of a comparison, as the protocols take them.
struct Sides {
  explicit Sides(const Kind& kind, int members = 1) : tensors(test::random_model(kind, members)) {
    model::save(tensors, scratch.path("model"));
    ours = on_runtime(runtime::Model::load_if_able(scratch.path("model")).value());
    theirs = on_tensors(tensors);
    for (std::size_t i = 0; i < times.size() && !tensors.spec.context.empty(); ++i)
      contexts.push_back(test::random_context(tensors));
  }

  Tensor states(std::initializer_list<std::int64_t> leading) const {
    std::vector<std::int64_t> sizes(leading);
    const auto own = tensors.spec.state.tensor_sizes();
    sizes.insert(sizes.end(), own.begin(), own.end());
    return torch::randn(sizes) * 2 + 1;
  }
  std::unique_ptr<solvers::Solver> solver(const char* name) const {
    // The error of an embedded pair is round-off for fields as smooth as these, so its step is held.
    const std::vector<std::string> held{"solver.first_step=0.3", "solver.grow=1", "solver.atol=0.1",
                                        "solver.rtol=0.1"};
    return run::solver_for(solvers::Choice(name),
                           std::string(name) == "dopri5" ? held : std::vector<std::string>{})
        .build(context_of(ours->facts()));
  }

  testing_support::Scratch scratch;
  model::TrainedModel tensors;
  ModelPointer ours, theirs;
  SampleContexts contexts;
  const Times times{{0, 0.4, 0.9, 1.3}, {0, 0.2, 1.1}, {0, 0.7, 0.8, 1.7}};
};

void expect_equal(const StateArray& ours, const StateArray& theirs) {
  ASSERT_EQ(ours.defined(), theirs.defined());
  if (!ours.defined()) return;
  EXPECT_EQ(ours.leading, theirs.leading);
  EXPECT_LT(test::relative_difference(test::values_of<float>(tensor_of(ours)), tensor_of(theirs)), round_off);
}

void expect_equal(const Forecast& ours, const Forecast& theirs) {
  expect_equal(ours.states, theirs.states);
  ASSERT_EQ(ours.frames.size(), theirs.frames.size());
  for (std::size_t i = 0; i < ours.frames.size(); ++i) {
    ASSERT_EQ(ours.frames[i].size(), theirs.frames[i].size());
    for (std::size_t k = 0; k < ours.frames[i].size(); ++k) {
      const auto &a = ours.frames[i][k], &b = theirs.frames[i][k];
      EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
      EXPECT_EQ(a.counts.accepted, b.counts.accepted);
      EXPECT_EQ(a.counts.rejected, b.counts.rejected);
      EXPECT_EQ(a.row_status.status, b.row_status.status);
      EXPECT_EQ(a.steps.size(), b.steps.size());
    }
  }
  ASSERT_EQ(ours.members.size(), theirs.members.size());
  for (std::size_t m = 0; m < ours.members.size(); ++m) expect_equal(ours.members[m], theirs.members[m]);
}

void expect_every_protocol_equal(const Sides& sides, const char* solver_name) {
  SCOPED_TRACE(solver_name);
  const auto solver = sides.solver(solver_name);
  const Setup ours{sides.ours, *solver}, theirs{sides.theirs, *solver};
  const auto start = array_of(sides.states({3}));
  const auto way = forecast(ours, start, sides.times, {}, sides.contexts);
  expect_equal(way, forecast(theirs, start, sides.times, {}, sides.contexts));
  expect_equal(time_informed(ours, start, sides.times, sides.contexts),
               time_informed(theirs, start, sides.times, sides.contexts));
  expect_equal(direct(ours, start, sides.times, sides.contexts),
               direct(theirs, start, sides.times, sides.contexts));
  const auto all = array_of(sides.states({3, 4}), 2);
  expect_equal(one_step(ours, all, sides.times, sides.contexts),
               one_step(theirs, all, sides.times, sides.contexts));
  if (std::string(solver_name) == "dopri5") return;  // goes along tangents
  expect_equal(with_half_steps(ours, start, sides.times, way, sides.contexts),
               with_half_steps(theirs, start, sides.times, way, sides.contexts));
}

class Protocols : public testing::TestWithParam<Kind> {};

TEST_P(Protocols, AreEqualInTheRuntimeAndInTensors) {
  const Sides sides(GetParam());
  for (const auto* name : {"euler", "gcs", "dopri5"}) expect_every_protocol_equal(sides, name);
}

TEST_P(Protocols, AreEqualForModelsOfSeveralMembers) {
  const Sides sides(GetParam(), 3);
  EXPECT_EQ(sides.ours->members(), 3);
  for (const auto* name : {"euler", "gcs"}) expect_every_protocol_equal(sides, name);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Protocols, testing::ValuesIn(test::kinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(RuntimeModel, SaysOfItselfWhatTheTensorsSay) {
  for (const auto& kind : test::kinds) {
    const Sides sides(kind, 2);
    EXPECT_EQ(sides.ours->conditioned(), sides.theirs->conditioned()) << kind.name;
    EXPECT_EQ(sides.ours->facts().any_grid, sides.theirs->facts().any_grid) << kind.name;
    EXPECT_NEAR(sides.ours->flops() / sides.theirs->flops(), 1, 1e-9) << kind.name;
    const auto ours = sides.ours->state_mean(), theirs = sides.theirs->state_mean();
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t c = 0; c < ours.size(); ++c) EXPECT_DOUBLE_EQ(ours[c], theirs[c]) << kind.name;
  }
}

TEST(RuntimeModel, GoesToOtherGridsWithTheTensors) {
  const Sides sides(test::kinds[4], 2);
  const auto solver = sides.solver("gcs");
  const auto start = array_of(torch::randn({3, 2, 15, 9}));
  expect_equal(time_informed({sides.ours, *solver}, start, sides.times),
               time_informed({sides.theirs, *solver}, start, sides.times));
  const auto other = array_of(torch::randn({3, 4, 15, 9}));
  EXPECT_EQ(testing_support::sentence_of<ModelError>([&] {
              time_informed({sides.ours, *solver}, other, sides.times);
            }),
            "the model takes states of 2 x 12 x 20 (channels, rows, columns), not of 4 x 15 x 9");
}

TEST(RuntimeModel, StreamsMeanAndSpreadOfItsMembers) {
  const Sides sides(test::kinds[0], 3);
  const auto solver = sides.solver("gcs");
  for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 30}) {
    const rollout::Setup ours{sides.ours, *solver, memory};
    const auto start = array_of(sides.states({3}));
    const auto kept = forecast(ours, start, sides.times);
    std::size_t seen = 0;
    forecast(ours, start, sides.times,
             [&](std::size_t sample, std::size_t frame, const StateArray& state, const StateArray& spread) {
               ++seen;
               EXPECT_TRUE(torch::equal(tensor_of(state), tensor_of(kept.states[sample][frame])));
               EXPECT_TRUE(torch::equal(tensor_of(spread), tensor_of(kept.spread[sample][frame])));
             });
    EXPECT_EQ(seen, 11U);
  }
}

TEST(RuntimeModel, LeavesModelsInDoublePrecisionToLibTorch) {
  testing_support::Scratch scratch;
  auto model = test::random_model(test::kinds[0]);
  model.spec.precision = "float64";
  model.field->to(torch::kDouble);
  model::save(model, scratch.path("model"));
  EXPECT_FALSE(runtime::Model::load_if_able(scratch.path("model")).has_value());
}

}  // namespace
}  // namespace cvf::rollout

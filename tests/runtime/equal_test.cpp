// The runtime against the path on LibTorch: the same numbers to round-off, and the same counts.
#include "kernels/cpu_choice.hpp"
#include "run/folder.hpp"
#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using test::Pair;
using test::relative_difference;
using test::values_of;
using torch::Tensor;

constexpr double round_off = 1e-6;

class Equal : public testing::TestWithParam<test::Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Equal, testing::ValuesIn(test::kinds),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Equal, OneEvaluation) {
  const Pair pair(GetParam());
  for (const std::int64_t rows : {1, 3, 17, 40}) {
    const auto conditions = pair.conditions(static_cast<std::size_t>(rows));
    const Tensor states = pair.states(rows), steps = torch::rand({rows}, torch::kDouble) + 0.1;
    const auto dt = values_of<double>(steps);
    const auto euler = solvers::make("euler");
    rollout::Times times;
    for (const double step : dt) times.push_back({0, std::min(step, 0.5)});  // before the jump: one step
    std::vector<double> shorter;
    for (const auto& t : times) shorter.push_back(t[1]);
    const auto expected = rollout::forecast({rollout::on_tensors(pair.tensors), *euler},
                                            rollout::array_of(states), times, {}, conditions.contexts);
    auto mine = values_of<double>(states);
    const auto trace = step(*pair.plain, mine.data(), static_cast<std::size_t>(rows), shorter, conditions, 1);
    EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).select(1, 1)), round_off)
        << rows << " rows";
    EXPECT_EQ(trace.outcome.counts[0].evaluations, 1);
  }
}

// The error of an embedded pair is round-off for fields as smooth as these, and a step that follows from it
// says nothing: it is held, or cut to the targets.
struct Stepping {
  std::string name;
  std::vector<std::string> settings;
};
const std::vector<Stepping> steppings{
    {"euler", {}},
    {"euler", {"solver.h=0.15"}},
    {"rk4", {"solver.steps=2"}},
    {"dopri5", {"solver.first_step=0.3", "solver.grow=1", "solver.atol=0.1", "solver.rtol=0.1"}},
    {"dopri5", {"solver.dense=false", "solver.first_step=0.3", "solver.grow=1"}},
    {"tsit5",
     {"solver.first_step=0.3", "solver.grow=1", "solver.atol=0.1", "solver.rtol=0.1", "solver.measure=max"}},
    {"tsit5",
     {"solver.first_step=0.2", "solver.grow=1", "solver.atol=0.1", "solver.rtol=0.1", "solver.norm=batch"}},
    {"gcs", {}},
    {"gcs", {"solver.advance=composed", "solver.probe_floor=true"}},
};

TEST_P(Equal, ForecastsOfEverySolver) {
  for (const auto& [name, own] : steppings) {
    std::vector<std::string> settings{"solver.name=" + name};
    settings.insert(settings.end(), own.begin(), own.end());
    const Pair pair(GetParam(), settings);
    const std::string entry = fmt::format("{}", fmt::join(settings, " "));
    const auto conditions = pair.conditions(3);
    const Tensor states = pair.states(3);
    rollout::Times times{{0, 0.4, 0.9, 1.3}, {0, 0.2, 1.1, 1.2}, {0, 0.7, 0.8, 1.7}};
    if (entry.find("batch") != std::string::npos) times[1] = times[2] = times[0];
    const auto solver = run::solver_for(run::open(pair.scratch.path("run")), settings)
                            .build(rollout::context_of(rollout::facts_of(pair.tensors)));
    const auto expected = rollout::forecast({rollout::on_tensors(pair.tensors), *solver},
                                            rollout::array_of(states), times, {}, conditions.contexts);
    std::vector<std::vector<double>> targets;
    for (const auto& t : times) targets.emplace_back(t.begin() + 1, t.end());
    const std::size_t values = pair.plain->values();
    std::vector<double> mine(3 * 3 * values, NAN);
    const auto given = values_of<double>(states);
    const auto trace =
        forecast<double>(*pair.plain, given.data(), 3, targets, conditions, 1,
                         [&](std::size_t sample, std::size_t target, const double* state, const double*) {
                           std::copy_n(state, values, mine.data() + (sample * 3 + target) * values);
                         });
    EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).narrow(1, 1, 3)), round_off)
        << entry;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto frames = trace.frames(i);
      ASSERT_EQ(frames.size(), expected.frames[i].size());
      for (std::size_t k = 1; k < frames.size(); ++k) {
        const auto &ours = frames[k], &theirs = expected.frames[i][k];
        EXPECT_EQ(ours.counts.evaluations, theirs.counts.evaluations) << entry;
        EXPECT_EQ(ours.counts.accepted, theirs.counts.accepted) << entry;
        EXPECT_EQ(ours.counts.rejected, theirs.counts.rejected) << entry;
        EXPECT_EQ(ours.row_status.status, theirs.row_status.status) << entry;
        ASSERT_EQ(ours.steps.size(), theirs.steps.size()) << entry;
        for (std::size_t s = 0; s < ours.steps.size(); ++s) {
          EXPECT_NEAR(ours.steps[s].step, theirs.steps[s].step, 1e-4 * theirs.steps[s].step) << entry;
          EXPECT_EQ(std::isnan(ours.steps[s].error), std::isnan(theirs.steps[s].error)) << entry;
        }
      }
    }
  }
}

TEST_P(Equal, InFloatTooAndOnStatesOfFloat) {
  const Pair pair(GetParam());
  const auto conditions = pair.conditions(2);
  const Tensor states = pair.states(2).to(torch::kFloat);
  const auto solver = solvers::make("gcs", rollout::context_of(rollout::facts_of(pair.tensors)));
  const auto expected =
      rollout::forecast({rollout::on_tensors(pair.tensors), *solver}, rollout::array_of(states),
                        {{0, 0.6}, {0, 0.8}}, {}, conditions.contexts);
  auto mine = values_of<float>(states);
  const double dt[]{0.6, 0.8};
  const auto trace = advance(*pair.plain, mine.data(), 2, dt, conditions, 1);
  EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).select(1, 1)), round_off);
  EXPECT_EQ(trace.outcome.counts[1].evaluations, expected.frames[1][1].counts.evaluations);
}

TEST_P(Equal, TheNreOfAStep) {
  const Pair pair(GetParam());
  const auto conditions = pair.conditions(2);
  const Tensor states = pair.states(2);
  const auto given = values_of<double>(states);
  const double dt[]{0.5, 0.3};
  const auto ours = nre(*pair.plain, given.data(), 2, dt, conditions, 1);
  const auto known = rollout::contexts_for(pair.tensors, conditions.contexts, states);
  const auto velocity = rollout::velocity_of(pair.tensors, known);
  const Tensor s = rollout::to_model(pair.tensors, {states});
  const Tensor whole = torch::tensor({0.5, 0.3}, torch::kDouble), half = whole / 2;
  const double none[]{0, 0}, middle[]{0.25, 0.15};
  std::vector<std::int64_t> wide(static_cast<std::size_t>(s.dim()), 1);
  wide[0] = 2;
  const Tensor straight = velocity({.state = s, .dt = whole, .ahead = none});
  const Tensor first = velocity({.state = s, .dt = half, .ahead = none});
  const Tensor second =
      velocity({.state = s + half.to(s.dtype()).view(wide) * first, .dt = half, .ahead = middle});
  const Tensor rupture = ((first + second) / 2 - straight).flatten(1).norm(2, 1);
  const Tensor size = straight.flatten(1).norm(2, 1);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto k = static_cast<std::int64_t>(i);
    const double expected = rupture[k].item<double>() / (size[k].item<double>() + 1e-8 / pair.tensors.spec.time_unit());
    EXPECT_NEAR(ours[i], expected, 1e-5 + 1e-4 * expected);
  }
}

TEST(EqualModels, OnAnotherGrid) {
  const Pair pair(test::kinds[4]);
  const auto larger = pair.plain->on_grid(15, 9, 0, 0);
  const Tensor states = torch::randn({2, 2, 15, 9}, torch::kDouble);
  const auto solver = solvers::make("gcs", rollout::context_of(rollout::facts_of(pair.tensors)));
  const auto expected = rollout::forecast({rollout::on_tensors(pair.tensors), *solver},
                                          rollout::array_of(states), {{0, 0.6}, {0, 0.8}});
  auto mine = values_of<double>(states);
  const double dt[]{0.6, 0.8};
  advance(larger, mine.data(), 2, dt, {}, 1);
  EXPECT_LT(relative_difference(mine, rollout::tensor_of(expected.states).select(1, 1)), round_off);
  EXPECT_EQ(pair.plain->values(), 2U * 12 * 20) << "the model itself stays on its grid";
}

TEST(EqualModels, OnTheKernelsOfEveryCpu) {
  const auto& best = kernels::cpu_kernels();
  for (const auto* kernels : kernels::runnable_kernels()) {
    kernels::use_kernels(*kernels);
    for (const std::size_t kind : {0, 4, 7}) {
      const Pair pair(test::kinds[kind]);
      const Tensor states = pair.states(3), dt = torch::full({3}, 0.4, torch::kDouble);
      const auto expected = states + 0.4 * pair.tensors.velocity({states}, dt).value;
      auto mine = values_of<double>(states);
      step(*pair.plain, mine.data(), 3, values_of<double>(dt), {}, 1);
      EXPECT_LT(relative_difference(mine, expected), round_off) << kernels->name << " " << kind;
    }
  }
  kernels::use_kernels(best);
}

TEST(EqualModels, SolversOfRunFilesAndSettings) {
  const Pair pair(test::kinds[0]);
  auto model = pair.tensors;
  model.run_toml = "[objective]\nname = \"sm\"\n[solver]\nname = \"rk4\"\nsteps = 3\n";
  model::save(model, pair.scratch.path("run/best"));
  const std::string folder = pair.scratch.path("run");
  const auto opened = run::open(folder);
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, {"solver.steps=5"}, {"solver.name=dopri5", "solver.rtol=1e-5"}}) {
    const auto plain = Model::load(folder, settings);
    EXPECT_EQ(plain.solver_choice().to_toml(), run::solver_for(opened, settings).to_toml());
    EXPECT_EQ(plain.checkpoint(), opened.checkpoint);
  }
}

}  // namespace
}  // namespace cvf::runtime

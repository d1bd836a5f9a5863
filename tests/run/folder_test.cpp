// Opening what a user names as RUN: the model, and the solver that its run file names; also a folder that the
// program wrote before keys and tables had the names of today.
#include "run/folder.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "rollout/protocols.hpp"
#include "rollout/tensors/model.hpp"
#include "support/scratch.hpp"

namespace cvf::run {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;

const std::string old_model = std::string(CVF_SOURCE_DIR) + "/tests/run/old_model";

class Opened : public testing::Test {
 protected:
  // A small model in `best` of a run's folder, with this run file.
  Folder with(const std::string& run_toml) {
    auto model = model::build(
        model::from_toml("[state]\nchannels = [\"x\"]\n[field]\nname = \"mlp\"\nwidth = 4\ndepth = 1\n",
                         "test"),
        1);
    model.run_toml = run_toml;
    model::save(model, scratch_.path("run/best"));
    return open(scratch_.path("run"));
  }
  Scratch scratch_;
};

TEST_F(Opened, HasTheSolverThatItsRunNames) {
  const auto run = with("[objective]\nname = \"cvf\"\n[solver]\nname = \"rk4\"\nsteps = 3\n");
  EXPECT_EQ(run.objective, "cvf");
  EXPECT_EQ(run.solver.name, "rk4");
  EXPECT_NE(run.solver.to_toml().find("steps = 3"), std::string::npos);
}

TEST_F(Opened, HasTheSolverThatSuitsItsObjectiveWhereTheRunNamesNone) {
  EXPECT_EQ(with("[objective]\nname = \"sm\"\n").solver.name, "euler");
  EXPECT_EQ(with("").solver.name, "gcs");
  EXPECT_EQ(with("[objective]\nname = \"cvf\"\n").solver.name, "gcs") << "the default when it was written";
}

TEST_F(Opened, SearchesForStepsWhereOnlyASearchCanGiveWhatIsAsked) {
  const auto run = with("[objective]\nname = \"cvf\"\n[solver]\nname = \"euler\"\nsteps = 2\n");
  EXPECT_EQ(solver_for(run, {}).name, "euler");
  const auto tuned = solver_for(run, {"solver.tolerance=1e-3"});
  EXPECT_EQ(tuned.name, "gcs");
  EXPECT_NE(tuned.to_toml().find("tolerance = 0.001"), std::string::npos) << tuned.to_toml();
  EXPECT_EQ(solver_for(run, {"solver.slack=1"}).name, "gcs") << "nobody else has a slack";
  EXPECT_EQ(solver_for(run, {"solver.steps=3"}).name, "euler");
  EXPECT_THROW(solver_for(run, {"solver.slak=1"}), ConfigError);
  const double longest = run.model.spec.state.largest_dt;
  const auto bounded = [&](double by) {
    return solver_for(run, {fmt::format("solver.max_step={}", by)}).name;
  };
  EXPECT_EQ(bounded(2 * longest), "gcs");
  EXPECT_EQ(bounded(0), "gcs") << "no bound";
  EXPECT_EQ(bounded(longest / 2), "euler");
  EXPECT_EQ(bounded(-1), "euler");
  EXPECT_EQ(solver_for(run, {"solver.name=euler", "solver.max_step=0"}).name, "euler") << "named";
  const auto sm = with("[objective]\nname = \"sm\"\n[solver]\nname = \"euler\"\nsteps = 2\n");
  EXPECT_NE(solver_for(sm, {"solver.max_step=0"}).to_toml().find("steps = 2"), std::string::npos)
      << "a field that does not see its step has nothing to search by";
}

TEST_F(Opened, TakesSettingsOnTopOfItsOwnSolverAndDefaultsOfAnother) {
  const auto run = with("[solver]\nname = \"gcs\"\nslack = 0.8\nmax_probes = 7\n");
  const auto tuned = solver_for(run, {"solver.slack=1"}).to_toml();
  EXPECT_NE(tuned.find("slack = 1.0"), std::string::npos) << tuned;
  EXPECT_NE(tuned.find("max_probes = 7"), std::string::npos) << tuned;
  const auto anew = solver_for(run, {"solver.name=gcs"}).to_toml();
  EXPECT_NE(anew.find("max_probes = 32"), std::string::npos) << anew;
  EXPECT_EQ(solver_for(run, {"solver.name=euler", "solver.steps=2"}).name, "euler");
}

TEST_F(Opened, NamesTheFileOfASolverThatNobodyKnows) {
  const auto sentence = sentence_of<ConfigError>([&] { with("[solver]\nname = \"leapfrog\"\n"); });
  EXPECT_NE(sentence.find("best/run.toml"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("leapfrog"), std::string::npos) << sentence;
}

// As the release before the renames wrote them: without a table of contexts, optimizer.rate, train.at_once.
// forecast.csv beside it has what that program forecast.
TEST(OldModel, IsOpenedWithItsSolver) {
  const auto run = open(old_model);
  EXPECT_EQ(run.objective, "cvf");
  EXPECT_EQ(run.model.spec.field.name, "mlp");
  EXPECT_TRUE(run.model.spec.context.empty());
  EXPECT_EQ(run.solver.name, "gcs");
  const auto solver = run.solver.to_toml();
  EXPECT_NE(solver.find("slack = 0.8"), std::string::npos) << solver;
  EXPECT_NE(solver.find("warm_start = 2.0"), std::string::npos) << solver;
}

TEST(OldModel, ForecastsWhatItForecastThen) {
  const auto run = open(old_model);
  const auto lines = text::split(files::read_whole(old_model + "/forecast.csv"), '\n');
  const auto numbers = text::read_numbers(files::read_whole(old_model + "/forecast.csv"));
  const auto& start = numbers.rows.at(0);
  for (const std::string name : {"gcs", "euler", "rk4"}) {
    std::vector<std::vector<double>> wanted;
    rollout::Times times{{0}};
    for (std::size_t i = 1; i < numbers.rows.size(); ++i) {
      if (!lines[i + 1].starts_with(name + ",")) continue;
      wanted.push_back(numbers.rows[i]);
      times[0].push_back(numbers.rows[i][1]);
    }
    ASSERT_EQ(wanted.size(), 4U);
    std::vector<std::string> settings;
    if (name != run.solver.name) settings.push_back("solver.name=" + name);
    if (name != "rk4") settings.emplace_back("solver.dense=false");  // every target ended a step then
    const auto choice = solver_for(run, settings);
    const auto solver = choice.build(rollout::context_of(rollout::facts_of(run.model)));
    const auto first = torch::tensor({{start[2], start[3]}}, torch::kFloat);
    const auto forecast = rollout::forecast({.model = rollout::on_tensors(run.model), .solver = *solver},
                                            rollout::array_of(first), times);
    for (std::size_t f = 0; f < wanted.size(); ++f) {
      const auto state = rollout::tensor_of(forecast.states)[0][static_cast<std::int64_t>(f) + 1];
      EXPECT_NEAR(state[0].item<double>(), wanted[f][2], 2e-6) << name << " at " << wanted[f][1];
      EXPECT_NEAR(state[1].item<double>(), wanted[f][3], 2e-6) << name << " at " << wanted[f][1];
      EXPECT_EQ(static_cast<double>(forecast.frames[0][f + 1].counts.evaluations), wanted[f][4]) << name;
    }
  }
}

}  // namespace
}  // namespace cvf::run

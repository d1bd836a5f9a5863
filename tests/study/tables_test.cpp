#include "study/tables.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.hpp"

namespace cvf::study {
namespace {

Study two_methods() {
  Study out;
  out.data = {{"pendulum", {}}};
  out.options = {{"m4", {}}, {"m8", {}}};
  out.methods = {{"tm", {}}, {"cvf", {}}};
  out.evaluations = {{"off", {}}};
  return out;
}

Result cell(const std::string& option, const std::string& method, std::int64_t seed, Value error,
            double nfe) {
  Result out{{"pendulum", option, method, seed}, true, "", {{"seconds", 10.0}, {"steps", 100}}, {}, ""};
  out.measured["off"] = {{"rollout_rmse", error}, {"nfe", {nfe, "ok"}}};
  return out;
}

std::vector<Result> some_results() {
  return {cell("m4", "tm", 0, {0.2, "ok"}, 8),  cell("m4", "tm", 1, {0.4, "ok"}, 8),
          cell("m4", "cvf", 0, {0.1, "ok"}, 4), cell("m4", "cvf", 1, {0.1, "ok"}, 4),
          cell("m8", "tm", 0, {0.5, "ok"}, 8),  cell("m8", "tm", 1, {0.5, "ok"}, 8),
          cell("m8", "cvf", 0, {0.1, "ok"}, 4), cell("m8", "cvf", 1, {std::nullopt, "diverged"}, 4)};
}

TEST(Summary, IsMeanAndDeviationOfASample) {
  const auto s = summarise({{1.0, "ok"}, {2.0, "ok"}, {3.0, "ok"}});
  EXPECT_DOUBLE_EQ(*s.mean, 2);
  EXPECT_DOUBLE_EQ(*s.deviation, 1);
  EXPECT_EQ(s.text(), "2 ± 1");
  EXPECT_EQ(summarise({{54100.0, "ok"}, {54341.0, "ok"}}).text(), "54200 ± 170");
  EXPECT_EQ(summarise({{9.2e12, "ok"}}).text(), "9.2e+12");
  EXPECT_EQ(summarise({{1e-310, "ok"}}).text(), "1e-310");
  EXPECT_EQ(summarise({{1.232e-5, "ok"}, {1.236e-5, "ok"}}).text(), "1.23e-05 ± 2.8e-08");
  EXPECT_FALSE(summarise({{1.0, "ok"}}).deviation);
  EXPECT_EQ(summarise({}).text(), "-");
}

TEST(Summary, NeverAveragesADivergenceAway) {
  const auto s = summarise({{1.0, "ok"}, {std::nullopt, "diverged"}, {3.0, "ok"}});
  EXPECT_FALSE(s.mean);
  EXPECT_EQ(s.text(), "diverged 1/3");
}

TEST(Table, ShowsMeansAndMarksTheBestOfAColumn) {
  Table table;
  const auto text = markdown(lay_out(two_methods(), "main", table, some_results()));
  EXPECT_NE(text.find("| tm | 0.3 ± 0.14 / 8 ± 0 | **0.5 ± 0 / 8 ± 0** |"), std::string::npos) << text;
  EXPECT_NE(text.find("| cvf | **0.1 ± 0 / 4 ± 0** | diverged 1/2 / 4 ± 0 |"), std::string::npos) << text;
}

TEST(Table, MarksTheMostWhereMoreIsBetter) {
  auto results = some_results();
  for (auto& r : results) {
    r.train["samples_per_s"] = r.cell.method == "tm" ? 300 : 100;
    r.measured["off"]["correlation_time"] = {r.cell.method == "tm" ? 0.5 : 2.0, "ok"};
  }
  Table table;
  table.show = {"samples_per_s"};
  const auto fast = markdown(lay_out(two_methods(), "main", table, results));
  EXPECT_NE(fast.find("| tm | **300 ± 0** | **300 ± 0** |"), std::string::npos) << fast;
  EXPECT_NE(fast.find("| cvf | 100 ± 0 | 100 ± 0 |"), std::string::npos) << fast;
  table.show = {"correlation_time"};
  const auto near = markdown(lay_out(two_methods(), "main", table, results));
  EXPECT_NE(near.find("| cvf | **2 ± 0** | **2 ± 0** |"), std::string::npos) << near;
}

TEST(Table, PutsBaselinesBesideTheMethodsAndHasThemWin) {
  auto results = some_results();
  for (auto& r : results) {
    r.measured["off"]["persistence.rollout_rmse"] = {r.cell.option == "m4" ? 0.9 : 0.05, "ok"};
    if (r.cell.method == "tm") r.measured["off"].erase("persistence.rollout_rmse");  // evaluated long ago
  }
  Table table;
  table.baselines = {"persistence", "mean_state"};
  table.base = "tm";
  const auto text = markdown(lay_out(two_methods(), "main", table, results));
  EXPECT_NE(text.find("| persistence | 0.9 ± 0 / 0 ± 0 / - | **0.05 ± 0 / 0 ± 0 / -** |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| mean_state | - / - / - | - / - / - |"), std::string::npos) << text;
}

TEST(Table, CountsEvaluationsPaidForErrorSavedAgainstTheBase) {
  Table table;
  table.base = "tm";
  const auto layout = lay_out(two_methods(), "main", table, some_results());
  ASSERT_EQ(layout.metrics.back(), "cped");
  EXPECT_NEAR(*layout.blocks[0].cells[1][0].back().mean, (4.0 / 8) / (0.3 - 0.1), 1e-12);
  EXPECT_FALSE(layout.blocks[0].cells[0][0].back().mean) << "the base saves nothing against itself";
}

TEST(Table, MakesABlockOfEachAxisThatIsLeftOut) {
  Table table;
  table.columns = {"data"};
  const auto layout = lay_out(two_methods(), "main", table, some_results());
  ASSERT_EQ(layout.blocks.size(), 2U);
  EXPECT_EQ(layout.blocks[1].columns, std::vector<std::string>{"pendulum"});
  EXPECT_NE(layout.blocks[1].heading.find("m8"), std::string::npos);
}

TEST(Table, WritesCsvAndLatexOfTheSameNumbers) {
  Table table;
  const auto layout = lay_out(two_methods(), "main", table, some_results());
  EXPECT_NE(csv(layout).find("\"cvf\",\"pendulum, m4\",rollout_rmse,0.1,0,2,0\n"), std::string::npos)
      << csv(layout);
  EXPECT_NE(latex(layout).find("cvf & \\textbf{0.1 $\\pm$ 0 / 4 $\\pm$ 0}"), std::string::npos)
      << latex(layout);
}

TEST(Costs, TellWhatEqualBudgetsCameTo) {
  EXPECT_NE(markdown(costs(two_methods(), some_results())).find("10 ± 0 / 100 ± 0"), std::string::npos);
}

}  // namespace
}  // namespace cvf::study

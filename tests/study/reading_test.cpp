#include <gtest/gtest.h>

#include "study/tables.hpp"

namespace cvf::study {
namespace {

// cvf+ with this error and cost beside node with 1 and 8.
std::string said(double error, double cost, std::optional<double> persistence = {}) {
  return compared({"cvf+", "node", {error, cost, ""}, {1.0, 8.0, ""}, persistence});
}

TEST(Reading, WinsLosesOrTradesInWords) {
  EXPECT_EQ(said(0.9, 2), "cvf+ needs a quarter of node's evaluations at 0.9 of its error");
  EXPECT_EQ(said(0.5, 8), "cvf+ has half of node's error for as many evaluations");
  EXPECT_EQ(said(0.8, 20), "cvf+ has 0.8 of node's error but needs 2.5 times its evaluations");
  EXPECT_EQ(said(1.001, 8.0 / 3), "cvf+ needs a third of node's evaluations at the same error");
  EXPECT_EQ(said(1.03, 2), "cvf+ needs a quarter of node's evaluations at the same error");
  EXPECT_EQ(said(1, 8), "cvf+ and node have the same error for as many evaluations");
  EXPECT_EQ(said(1, 16), "cvf+ needs 2 times node's evaluations for the same error");
  EXPECT_EQ(said(1.3, 1.6), "cvf+ needs 0.2 of node's evaluations but has 1.3 times its error");
  EXPECT_EQ(said(2, 8), "cvf+ loses to node: 2 times its error for as many evaluations");
  EXPECT_EQ(said(12, 9), "cvf+ loses to node: 12 times its error for 1.1 times its evaluations");
}

TEST(Reading, SaysWhatPersistenceWouldHaveDone) {
  EXPECT_EQ(said(0.9, 2, 9),
            "cvf+ needs a quarter of node's evaluations at 0.9 of its error, and has 0.1 of "
            "persistence's error");
  EXPECT_EQ(said(2, 8, 2),
            "cvf+ loses to node: 2 times its error for as many evaluations, and is no better than "
            "persistence");
  EXPECT_EQ(said(1, 8, 0.5),
            "cvf+ and node have the same error for as many evaluations, and cvf+ is worse than "
            "persistence (2 times its error)");
}

TEST(Reading, HasWordsForWhatHasNoNumber) {
  const Standing lost{{}, {}, "diverged"}, node{1.0, 8.0, ""};
  EXPECT_EQ(compared({"cvf+", "node", lost, node, 4.0}),
            "cvf+ diverged; the most accurate is node, which has a quarter of persistence's error");
  EXPECT_EQ(
      compared({"cvf+", "node", {}, node, 0.5}),
      "cvf+ has no result; the most accurate is node, which is worse than persistence (2 times its error)");
  EXPECT_EQ(compared({"cvf+", "node", lost, node, {}}), "cvf+ diverged; the most accurate is node");
  EXPECT_EQ(compared({"cvf+", "", lost, {}, 1.0}), "cvf+ diverged, and no other method has a result");
  EXPECT_EQ(compared({"cvf+", "", {2.0, 1.0, ""}, {}, 1.0}),
            "cvf+ alone has a result, and is worse than persistence (2 times its error)");
  EXPECT_EQ(compared({"cvf+", "node", {0.5, {}, ""}, node, {}}), "cvf+ has half of node's error");
  EXPECT_EQ(compared({"cvf+", "node", {1.0, {}, ""}, node, {}}), "cvf+ has the same error as node");
  EXPECT_EQ(compared({"cvf+", "node", {0.5, 1.0, ""}, {0.0, 1.0, ""}, {}}),
            "cvf+ loses to node: many times its error for as many evaluations");
  EXPECT_EQ(compared({"cvf+", "node", {0.0, 0.0, ""}, {0.0, 0.0, ""}, {}}),
            "cvf+ and node have the same error for as many evaluations");
}

Result cell(const std::string& data, const std::string& method, Value error, double cost) {
  Result out{{data, "default", method, 0}, true, "", {}, {}, ""};
  out.measured["between"] = {
      {"rollout_rmse", error}, {"nfe", {cost, "ok"}}, {"persistence.rollout_rmse", {4.0, "ok"}}};
  return out;
}

TEST(Reading, TakesTheMostAccurateOfTheOthersOnEachDataSet) {
  const std::vector<Result> results{
      cell("swing", "sm", {3.0, "ok"}, 1),       cell("swing", "node", {1.0, "ok"}, 8),
      cell("swing", "cvf+", {0.5, "ok"}, 2),     cell("wave", "sm", {1.0, "ok"}, 1),
      cell("wave", "node", {{}, "diverged"}, 8), cell("wave", "cvf+", {2.0, "ok"}, 2)};
  EXPECT_EQ(
      read_out(results, "between", "cvf+"),
      "On swing, cvf+ needs a quarter of node's evaluations at half of its error, and has 0.12 of "
      "persistence's "
      "error; on wave, cvf+ loses to sm: 2 times its error for 2 times its evaluations, and has half of "
      "persistence's error.");
  EXPECT_EQ(read_out({}, "between", "cvf+"), "");
}

}  // namespace
}  // namespace cvf::study

// Forecasts that another program wrote, against the truth.
#include <gtest/gtest.h>

#include "core/files.hpp"
#include "evaluate/evaluate.hpp"
#include "support/has.hpp"
#include "support/program.hpp"
#include "support/scratch.hpp"
#include "support/training.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::has;
using testing_support::Scratch;
using Words = std::vector<std::string>;

class ForecastOfAnother : public testing::Test {
 protected:
  void SetUp() override {
    testing_support::run(testing_support::tiny_run(data_) + "\nsolver.name = \"euler\"\n", run_);
    ask({"rollout", run_, "--data", data_, "--samples", "8:10", "--out", forecast_}, 0);
  }
  std::string ask(const Words& words, int code) const {
    const auto ran = testing_support::run(scratch_, words);
    EXPECT_EQ(ran.code, code) << ran.err;
    return ran.out + ran.err;
  }
  static double value(const std::string& csv, const std::string& name) {
    const auto at = csv.find(name + ",");
    EXPECT_NE(at, std::string::npos) << name << " is not in\n" << csv;
    return at == std::string::npos ? -1 : std::stod(csv.substr(at + name.size() + 1));
  }
  std::string csv(Words words) const {
    const Words more{"--out", scratch_.path("scores"), "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    ask(words, 0);
    return files::read_whole(scratch_.path("scores.csv"));
  }

  Scratch scratch_;
  std::string data_ = scratch_.path("data.h5"), run_ = scratch_.path("run"),
              forecast_ = scratch_.path("forecast.h5");
};

TEST_F(ForecastOfAnother, GetsTheScoresOfTheModelThatMadeIt) {
  const auto model = csv({"evaluate", run_, "--samples", "8:10", "--protocol", "forecast"});
  const auto file =
      csv({"evaluate", "--forecast", forecast_, "--data", data_});  // the file says which samples
  for (const auto* name :
       {"rollout_rmse", "relative_l2", "persistence.rollout_rmse", "persistence.relative_l2"})
    EXPECT_NEAR(value(file, std::string("forecast,") + name), value(model, std::string("forecast,") + name),
                1e-6)
        << name;
  EXPECT_EQ(csv({"evaluate", run_, "--forecast", forecast_}), file) << "the truth is the run's own file";
  EXPECT_EQ(value(csv({"evaluate", "--forecast", data_, "--data", data_}), "forecast,rollout_rmse"), 0);
}

TEST_F(ForecastOfAnother, SaysWhatDoesNotFit) {
  EXPECT_TRUE(has(ask({"evaluate", "--forecast", forecast_}, 2), "give the truth, too: --data FILE"));
  EXPECT_TRUE(has(ask({"evaluate", "--forecast", forecast_, "--data", data_, "--samples", "0:3"}, 2),
                  "--samples names 3 samples, and " + forecast_ + " has 2"));
  EXPECT_TRUE(
      has(ask({"evaluate", "--forecast", data_, "--data", forecast_}, 2), "say which of those they are"));
  ask({"rollout", run_, "--data", data_, "--samples", "8:10", "--until", "100", "--out", forecast_,
       "--overwrite"},
      0);
  EXPECT_TRUE(has(ask({"evaluate", "--forecast", forecast_, "--data", data_}, 0), "are not scored"));
  EXPECT_TRUE(has(ask({"evaluate", run_, "--calibrate", "--json"}, 2), "--json"));
}

}  // namespace
}  // namespace cvf::evaluate

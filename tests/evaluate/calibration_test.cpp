// Error bars: what they promise on trajectories whose errors are known, and the file that keeps them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/files.hpp"
#include "evaluate/calibrate.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::has;
using testing_support::Scratch;
using testing_support::sentence_of;
using Values = std::vector<double>;

// Trajectories that differ in how wrong they are, with frames that hang together: each error is the one
// before times something. Twenty frames of one say little more than one frame does.
class Nature {
 public:
  std::vector<Trial> draw(std::size_t count) {
    std::vector<Trial> out(count);
    for (auto& trial : out) {
      double doubt = 0, error = std::exp(quality_(random_));
      trial = {{0}, {0}, {0}};
      for (int k = 1; k <= 20; ++k) {
        doubt += 0.1 * std::exp(0.3 * noise_(random_));
        error *= std::exp(0.2 * noise_(random_));
        trial.times.push_back(0.1 * k);
        trial.doubt.push_back(doubt);
        trial.error.push_back(error * doubt);
      }
    }
    return out;
  }

 private:
  std::mt19937_64 random_{7};
  std::normal_distribution<double> quality_{0, 1}, noise_{0, 1};
};

// Over many calibrations the share of fresh trajectories that stay inside at every frame is the coverage
// asked for: n = 39 makes (n + 1) coverage whole, so it is met and not only exceeded. 1200 x 30 draws, whose
// calibrations of 39 scatter by at most 0.08 each: three standard errors are 0.010.
TEST(ErrorBars, HoldWholeTrajectoriesAsOftenAsTheyPromise) {
  Nature nature;
  constexpr int calibrations = 1200, fresh = 30;
  for (const double coverage : {0.5, 0.8, 0.9}) {
    std::size_t inside = 0;
    for (int round = 0; round < calibrations; ++round) {
      const auto calibration = calibrate(nature.draw(39));
      inside += coverage_of(calibration, coverage, nature.draw(fresh)).inside;
    }
    const double reached = static_cast<double>(inside) / (calibrations * fresh);
    EXPECT_NEAR(reached, coverage, 0.010) << coverage;
    std::cout << fmt::format("coverage {}: reached {:.4f}\n", coverage, reached);
  }
}

// What would go wrong with frames as trials: the bound on pooled pairs is left by far more trajectories.
TEST(ErrorBars, WouldPromiseTooMuchIfFramesCountedAsTrials) {
  Nature nature;
  std::size_t inside = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<double> ratios;
    for (const auto& trial : nature.draw(39)) {
      for (std::size_t k = 1; k < trial.doubt.size(); ++k) ratios.push_back(trial.error[k] / trial.doubt[k]);
    }
    Calibration pooled = calibrate(nature.draw(1));
    pooled.set_ratios(ratios);
    inside += coverage_of(pooled, 0.8, nature.draw(30)).inside;
  }
  EXPECT_LT(static_cast<double>(inside) / 6000, 0.75);
}

// Errors that double the doubt at the start and halve it at the end: with their shape from other trajectories
// the last bar is far closer, and the promise is kept as before.
TEST(ErrorBars, FollowTheShapeOfTheErrorOverTime) {
  Nature nature;
  const auto draw = [&](std::size_t count) {
    auto out = nature.draw(count);
    for (auto& trial : out) {
      for (std::size_t k = 1; k < trial.error.size(); ++k) trial.error[k] *= 20 / static_cast<double>(k);
    }
    return out;
  };
  std::size_t inside = 0;
  double shaped_bar = 0, flat_bar = 0;
  for (int round = 0; round < 600; ++round) {
    const auto seen = draw(39), fresh = draw(30);
    const auto shaped = coverage_of(calibrate(seen, draw(39)), 0.8, fresh);
    inside += shaped.inside;
    shaped_bar += shaped.last_bar;
    flat_bar += coverage_of(calibrate(seen), 0.8, fresh).last_bar;
  }
  EXPECT_NEAR(static_cast<double>(inside) / 18000, 0.8, 0.014);
  EXPECT_LT(shaped_bar, 0.25 * flat_bar);
}

TEST(ErrorBars, ThinManyRatiosWithoutPromisingMore) {
  Values all;
  for (int i = 5001; i > 0; --i) all.push_back(i);
  Calibration thinned;
  thinned.set_ratios(all);
  EXPECT_EQ(thinned.ratios.size(), 2000U);
  EXPECT_EQ(thinned.ratios.back(), 5001);
  for (const double coverage : {0.0003, 0.1, 0.5, 0.77, 0.9, 0.99, 0.9995}) {
    const double exact = std::ceil(5002 * coverage - 1e-9);
    EXPECT_GE(thinned.factor(coverage), exact) << coverage;
    EXPECT_LE(thinned.factor(coverage), exact + 3) << coverage;
  }
  Calibration few;
  few.set_ratios({3, 1, 2});
  EXPECT_EQ(few.factor(0.75), 3);
  EXPECT_EQ(few.factor(0.5), 2);
}

TEST(ErrorBars, SayHowManyTrajectoriesACoverageNeeds) {
  Calibration few;
  few.set_ratios({3, 1, 2});
  EXPECT_EQ(
      sentence_of<UsageError>([&] { few.factor(0.9); }),
      "a coverage of 0.9 needs a calibration on at least 9 validation trajectories, and this one has 3");
  EXPECT_TRUE(has(sentence_of<UsageError>([&] { few.factor(1); }), "between 0 and 1"));
}

TEST(Doubts, AddUpOverStepsAndEndWhereNothingIsKnown) {
  std::vector<rollout::Frame> frames(4);
  frames[1].steps = {{0, 0.5, 0.2}, {0.5, 0.5, 0}};
  frames[2].steps = {{1, 0.5, 0.4}};
  frames[3].steps = {{1.5, 0.5, NAN}};
  const std::vector<double> times{0, 1, 1.5, 2};
  auto found = doubts(frames, times);
  EXPECT_EQ(found[0], 0);
  EXPECT_DOUBLE_EQ(found[1], 0.1 + 0.5 * least_nre);
  EXPECT_DOUBLE_EQ(found[2], 0.3 + 0.5 * least_nre);
  EXPECT_TRUE(std::isinf(found[3])) << "a step that was not measured";
  frames[2].row_status.status = solvers::Status::non_finite;
  EXPECT_TRUE(std::isinf(doubts(frames, times)[2]));
}

TEST(Doubts, OfFramesInsideAStepGrowWithIt) {
  std::vector<rollout::Frame> frames(4);
  frames[1].steps = {{0, 1, 0.2}};  // passes the first frame, and the second ends it
  frames[3].steps = {{1, 1, 0.4}};
  const auto found = doubts(frames, {0, 0.25, 1, 1.5});
  EXPECT_DOUBLE_EQ(found[1], 0.05);
  EXPECT_DOUBLE_EQ(found[2], 0.2);
  EXPECT_DOUBLE_EQ(found[3], 0.4);
}

TEST(ErrorBars, EndAtTheCalibratedHorizon) {
  Calibration c;
  c.horizon = 1;
  c.shortest_interval = c.longest_interval = 0.5;
  const auto bars = c.bars(2, {0, 0.1, 0.2, 0.3, INFINITY}, {7, 7.5, 8, 8.5, 9});
  EXPECT_EQ((Values{bars.begin(), bars.begin() + 3}), (Values{0, 0.2, 0.4}));
  EXPECT_TRUE(std::isinf(bars[3]));
  EXPECT_EQ(c.departure({0, 0.5, 1}), "");
  EXPECT_TRUE(has(c.departure({0, 0.25, 1}), "frames 0.25 to 0.75 apart, not 0.5 to 0.5"));
  EXPECT_TRUE(has(c.departure({0, 0.5, 1, 1.5}), "no error bar beyond"));
}

TEST(ErrorBars, AreForOneCheckpointAndOneSolver) {
  Calibration c;
  c.checkpoint = "abc", c.solver = "name = \"gcs\"\nslack = 0.9\n";
  EXPECT_EQ(c.objection("abc", c.solver), "");
  EXPECT_EQ(c.objection("abd", c.solver), "was made for another checkpoint of this model");
  EXPECT_EQ(c.objection("abc", "name = \"gcs\"\nslack = 1.0\n"),
            "was made for the solver with 'slack = 0.9', not 'slack = 1.0'");
}

TEST(Calibrations, AreWhatTheirFileSays) {
  const Scratch scratch;
  const std::string file = scratch.path("best.calibration.toml");
  EXPECT_EQ(calibration_file(scratch.path("best/")), file);
  Calibration made = calibrate(Nature().draw(30));
  made.checkpoint = "12ab", made.solver = "name = \"gcs\"\n", made.data_hash = "34", made.samples = "8:38";
  made.ratios.back() = INFINITY;
  save(made, file);
  const auto found = load_calibration(file);
  EXPECT_EQ(found.ratios, made.ratios);
  EXPECT_EQ(found.trajectories, 30);
  EXPECT_EQ(found.solver, made.solver);
  EXPECT_EQ(found.horizon, made.horizon);
  EXPECT_EQ(found.factor(0.8), made.factor(0.8));
}

TEST(Calibrations, SayWhatIsBroken) {
  const Scratch scratch;
  const std::string file = scratch.path("c.toml");
  save(calibrate(Nature().draw(3)), file);
  const std::string whole = files::read_whole(file);
  const auto refusal = [&](const std::string& old, const std::string& now) {
    std::string text = whole;
    text.replace(text.find(old), old.size(), now);
    files::write_atomically(file, text);
    return sentence_of<ModelError>([&] { load_calibration(file); });
  };
  EXPECT_TRUE(has(refusal("ratios = [", "ratios = [9e9, "), "3 trajectories come with 4 ratios"));
  EXPECT_TRUE(has(refusal("trajectories = 3", "trajectories = 4"), "4 trajectories come with 3 ratios"));
  EXPECT_TRUE(has(refusal("trajectories = 3", ""), "trajectories, horizon or longest_interval is missing"));
  EXPECT_TRUE(has(refusal("format = 1", "format = 2"), "format"));
  EXPECT_TRUE(has(refusal("shape = [", "shape = [0.0, "), "shape must be 6 positive numbers"));
  EXPECT_TRUE(has(refusal("max(NRE", "min(NRE"), "score"));
  EXPECT_TRUE(has(refusal("\nhorizon", "\nhorizom"), "did you mean 'horizon'"));
  EXPECT_TRUE(has(refusal("ratios = [", "ratios = "), file)) << "not TOML";
  files::write_atomically(file, "");
  EXPECT_TRUE(has(sentence_of<ModelError>([&] { load_calibration(file); }), "is damaged"));
}

}  // namespace
}  // namespace cvf::evaluate

// The run file that cvf init writes: what it chooses from the data, and that it can be trained.
#include "train/first_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

#include "core/files.hpp"
#include "core/text.hpp"
#include "support/archives.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"
#include "support/training.hpp"
#include "train/run_data.hpp"
#include "train/trainer.hpp"

namespace cvf::train {
namespace {

using files::write_atomically;
using testing_support::has;
using testing_support::npy;
using testing_support::raw;
using testing_support::Scratch;

constexpr std::size_t samples = 40, frames = 33;

// Circles of a given speed (radians a frame), as an NPZ with what `more` adds to it, and white noise as a
// fraction of their spread.
std::string circles(const Scratch& scratch, double speed,
                    std::vector<std::pair<std::string, std::string>> more = {}, double noise = 0) {
  std::vector<float> values;
  std::mt19937 random(1);
  std::normal_distribution<> normal(0, std::sqrt(0.5));  // of the deviation of the circle's coordinates
  for (std::size_t n = 0; n < samples; ++n) {
    for (std::size_t t = 0; t < frames; ++t) {
      const double angle = speed * static_cast<double>(t) + 0.7 * static_cast<double>(n);
      values.push_back(static_cast<float>(std::cos(angle) + noise * normal(random)));
      values.push_back(static_cast<float>(std::sin(angle) + noise * normal(random)));
    }
  }
  more.emplace_back("states.npy", npy("<f4", "(40, 33, 2)", raw(values)));
  const std::string file = scratch.path("circles.npz");
  write_atomically(file, testing_support::zip(more, false));
  return file;
}

std::string numbers(const std::function<double(double)>& value, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(value(static_cast<double>(i)));
  return npy("<f8", fmt::format("({},)", count), raw(out));
}

// Comments in one line each.
std::string unwrapped(std::string text) {
  for (auto at = text.find("\n# "); at != std::string::npos; at = text.find("\n# ", at))
    text.replace(at, 3, " ");
  return text;
}

std::string proposed(const std::string& file, double dt = 0) {
  DataOptions data;
  data.file = file;
  data.open.axes = "n,t,c";
  data.open.dt = dt;
  return first_run(data, "mine");
}

RunOptions read(const std::string& text) {
  return RunOptions::read(config::Document::from_text(text, "mine.toml"));
}

TEST(FirstRun, CanBeTrainedAsItIs) {
  const Scratch scratch;
  const std::string text = proposed(circles(scratch, 0.1), 0.25);
  EXPECT_TRUE(has(text, "cvf train mine.toml && cvf report mine")) << text;
  auto options = read(text);
  EXPECT_EQ(options.data.open.axes, "n,t,c");
  EXPECT_EQ(options.data.open.dt, 0.25);
  EXPECT_EQ(options.field.name, "mlp");
  EXPECT_EQ(options.split.train, "0:32");
  EXPECT_EQ(options.split.validation, "32:36");
  EXPECT_EQ(options.split.test, "36:40");
  EXPECT_EQ(options.length.minutes, 3);
  options.length.steps = 3;
  ProcessGroup alone;
  EXPECT_EQ(train(std::move(options), scratch.path("run"), alone).steps, 3);
  EXPECT_FALSE(has(text, "no times")) << text;
}

TEST(FirstRun, SaysThatFramesAreTakenToBeOneApart) {
  const Scratch scratch;
  const std::string file = circles(scratch, 0.1);
  EXPECT_TRUE(has(proposed(file), "taken to be 1 apart")) << proposed(file);
  auto options = read(proposed(file));
  EXPECT_TRUE(has(prepare(options).notes.at(0), "taken to be 1 apart")) << "and so does the run itself";
}

TEST(FirstRun, BeginsStepsOfSeveralLengthsAtEveryFrame) {
  const Scratch scratch;
  const std::string text = proposed(circles(scratch, 0.03));  // neighbours are close
  const auto options = read(text);
  EXPECT_EQ(options.downsampling.factor, 1) << "no frame is thrown away";
  EXPECT_FALSE(has(text, "downsampling")) << text;
  EXPECT_EQ(options.loader.strides, (std::vector<std::int64_t>{1, 2, 4, 8}));
  // On the circle, frames k apart differ by 2 sin(k speed / 2), and the spread of both channels is 1 /
  // sqrt(2).
  EXPECT_TRUE(has(text, "differ by 3 % of the state's spread, those 8 apart by 24 %")) << text;
}

TEST(FirstRun, TakesStepsNoLongerThanAQuarterOfASample) {
  const Scratch scratch;
  const auto strides = [&](std::size_t count) {
    const std::string file = scratch.path("short.npy");
    write_atomically(
        file, npy("<f4", fmt::format("(12, {}, 1)", count), testing_support::counting<float>(12 * count)));
    return read(proposed(file)).loader.strides;
  };
  EXPECT_EQ(strides(2), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(strides(9), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(strides(17), (std::vector<std::int64_t>{1, 2, 4}));
}

TEST(FirstRun, TakesStepsOfUnevenTimesToo) {
  const Scratch scratch;
  const auto uneven = numbers([](double i) { return 0.01 * i * i; }, frames);
  const auto options = read(proposed(circles(scratch, 0.05, {{"t.npy", uneven}})));
  EXPECT_EQ(options.loader.strides, (std::vector<std::int64_t>{1, 2, 4, 8}));
}

// Frames k apart on a circle of speed 0.2 differ by 2 sin(0.1 k) of its spread. Noise of 5 % of it makes a
// difference of two frames 7 % uncertain, and a step should change the state by ten times that: 4 frames.
TEST(FirstRun, LeavesOutStepsThatNoiseCovers) {
  const Scratch scratch;
  const std::string text = unwrapped(proposed(circles(scratch, 0.2, {}, 0.05)));
  EXPECT_EQ(read(proposed(circles(scratch, 0.2, {}, 0.05))).loader.strides,
            (std::vector<std::int64_t>{4, 8}));
  EXPECT_TRUE(has(text, "% of the spread was found")) << text;
  EXPECT_TRUE(has(text, "fewer than 4 frames")) << text;
  EXPECT_FALSE(has(proposed(circles(scratch, 0.2)), "oise")) << "none, none mentioned";
}

// Times with the given gaps, again and again.
model::StateFacts facts_of_gaps(const std::vector<double>& gaps) {
  const Scratch scratch;
  double t = 0;
  const auto times =
      numbers([&](double i) { return i == 0 ? 0 : t += gaps[static_cast<std::size_t>(i - 1) % gaps.size()]; },
              frames);
  auto options = read(proposed(circles(scratch, 0.1, {{"t.npy", times}})));
  options.loader.strides = {1};
  return prepare(options).spec.state;
}

TEST(UnevenTimes, LeaveSolversTheStepsThatTrainingSawOften) {
  const auto expect = [](const std::vector<double>& gaps, double usual, double largest, const char* why) {
    const auto facts = facts_of_gaps(gaps);
    EXPECT_NEAR(facts.usual_dt, usual, 1e-6) << why;
    EXPECT_NEAR(facts.largest_dt, largest, 1e-6) << why;
    EXPECT_EQ(facts.step_bound(), facts.usual_dt) << why;
  };
  expect({0.5}, 0.5, 0.5, "even");
  expect({0.5, 0.55, 0.45}, 0.55, 0.55, "a scatter leaves no frame out of reach of one step");
  expect({0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1}, 0.5, 1, "a frame is missing here and there");
  expect({0.01, 0.01, 0.01, 0.97}, 0.25, 0.97, "short or long: the mean");
  expect({1, 0.01, 1, 0.01, 1}, 1, 1, "never below the spacing of the frames, where gcs begins to probe");
}

TEST(FirstRun, NamesTheParametersAndSpreadsSamplesThatTheySort) {
  const Scratch scratch;
  const auto mixed = numbers([](double i) { return std::sin(i); }, samples);
  auto options = read(proposed(circles(scratch, 0.1, {{"omega.npy", mixed}})));
  EXPECT_EQ(options.data.context.parameters, std::vector<std::string>{"omega"});
  EXPECT_EQ(options.split.test, "36:40");
  EXPECT_EQ(prepare(options).source->description().context.parameters, std::vector<std::string>{"omega"});

  const auto rising = numbers([](double i) { return 0.1 * i; }, samples);
  const std::string text = proposed(circles(scratch, 0.1, {{"omega.npy", rising}}));
  EXPECT_TRUE(has(text, "sorted by 'omega'")) << text;
  EXPECT_EQ(read(text).split.validation, "3,13,23,33");
  EXPECT_EQ(read(text).split.test, "6,16,26,36");
}

TEST(FirstRun, TakesWhatAFileOnAGridSaysOfItself) {
  const Scratch scratch;
  const auto made = [&](const std::string& system) {
    auto ready = testing_support::options_of(fmt::format(
        "data.file = \"{}\"\ngenerate.name = \"{}\"\ngenerate.samples = 10\ngenerate.frames = 5\n",
        scratch.path(system + ".h5"), system));
    return first_run(ready.data, "mine");
  };
  const std::string text = made("burgers");
  EXPECT_EQ(read(text).field.name, "conv");
  EXPECT_TRUE(has(text, "periodic")) << text;
}

// A file that says nothing of its boundary: whole waves along x, a part of one along y.
std::string waves_of_unknown_boundary(const Scratch& scratch) {
  std::vector<float> values;
  for (int n = 0; n < 12; ++n) {
    for (int t = 0; t < 5; ++t) {
      for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 16; ++x)
          values.push_back(
              static_cast<float>(std::sin(0.3926991 * (x - 0.3 * t) + n) * std::cos(0.13 * y + n)));
      }
    }
  }
  const std::string file = scratch.path("waves.npy");
  write_atomically(file, npy("<f4", "(12, 5, 12, 16)", raw(values)));
  return file;
}

std::string boundary_of(const RunOptions& o) {
  const auto text = config::write([&](config::Section& s) { o.field.settings->describe(s); });
  return config::Document::from_text(text, "field").look_up("boundary").value_or("none");
}

TEST(FirstRun, SeesWhichAxesArePeriodic) {
  const Scratch scratch;
  DataOptions data;
  data.file = waves_of_unknown_boundary(scratch);
  data.open.axes = "n,t,y,x";
  data.open.dt = 0.1;
  const std::string text = first_run(data, "mine");
  EXPECT_TRUE(has(text, "boundary = \"y: unknown, x: periodic\"")) << text;
  auto options = read(text);
  prepare(options);
  EXPECT_EQ(boundary_of(options), "y: unknown, x: periodic");
}

TEST(Boundary, OfARunFileWrittenByHandIsTheOneThatInitFinds) {
  const Scratch scratch;
  const std::string file = waves_of_unknown_boundary(scratch);
  const std::string by_hand = fmt::format("data = {{file = \"{}\", axes = \"n,t,y,x\", dt = 0.1}}\n", file);
  for (const char* auto_or_left_out : {"", "field.boundary = \"auto\"\n"}) {
    auto options = read(by_hand + auto_or_left_out);
    const auto notes = prepare(options).notes;
    EXPECT_EQ(boundary_of(options), "y: unknown, x: periodic");
    const auto is_reason = [](const std::string& note) { return has(note, "Along x the values continue"); };
    EXPECT_EQ(std::ranges::count_if(notes, is_reason), 1) << fmt::format("{}", fmt::join(notes, "\n"));
  }
  auto told = read(by_hand + "field.boundary = \"wall\"\n");
  prepare(told);
  EXPECT_EQ(boundary_of(told), "wall") << "the run file has the last word";
}

TEST(Boundary, OfARunThatIsResumedStaysWhatItWas) {
  const Scratch scratch;
  const std::string by_hand = fmt::format("data = {{file = \"{}\", axes = \"n,t,y,x\", dt = 0.1}}\n",
                                          waves_of_unknown_boundary(scratch));
  auto before = read(by_hand + "field.boundary = \"unknown\"\n");  // what older programs made of "auto"
  prepare(before);
  write_atomically(scratch.path("run.toml"), before.to_toml());
  auto options = read(by_hand);
  prepare(options, scratch.path(""));
  EXPECT_EQ(boundary_of(options), "y: unknown, x: periodic") << "no checkpoint, so it is nobody's run";
  std::filesystem::create_directories(scratch.path("checkpoints"));
  options = read(by_hand);
  prepare(options, scratch.path(""));
  EXPECT_EQ(boundary_of(options), "unknown");
}

// Samples of one oscillation, as an NPY of (n, t, c).
DataOptions oscillations(const Scratch& scratch, std::size_t count, std::size_t length) {
  std::vector<float> values;
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t t = 0; t < length; ++t) {
      const double angle = 0.02 * static_cast<double>(t) + static_cast<double>(n);
      values.push_back(static_cast<float>(std::cos(angle)));
      values.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  DataOptions data;
  data.file = scratch.path("oscillations.npy");
  data.open = {"", "n,t,c", 0.1};
  write_atomically(data.file, npy("<f4", fmt::format("({}, {}, 2)", count, length), raw(values)));
  return data;
}

TEST(FirstRun, OfFewSamplesOrFramesCanBeTrained) {
  const Scratch scratch;
  const std::vector<std::pair<std::size_t, std::size_t>> sizes{{1, 1000}, {1, 12}, {2, 12},
                                                               {3, 12},   {3, 2},  {40, 2}};
  for (const auto& [count, length] : sizes) {
    const std::string text = first_run(oscillations(scratch, count, length), "mine"),
                      folder = scratch.path(fmt::format("run-{}-{}", count, length));
    auto options = read(text);
    options.length.steps = 3;
    options.length.minutes = 0;
    ProcessGroup alone;
    EXPECT_EQ(train(std::move(options), folder, alone).steps, 3) << text;
    EXPECT_TRUE(std::filesystem::exists(folder + "/last/model.toml")) << text;
  }
}

TEST(FirstRun, SaysWhereNoSampleIsLeftToValidate) {
  const Scratch scratch;
  auto options = read(first_run(oscillations(scratch, 2, 12), "mine"));
  EXPECT_TRUE(
      has(text::join(prepare(options).notes), "no samples for validation, so no best model is chosen"));
  options = read(first_run(oscillations(scratch, 3, 12), "mine"));
  EXPECT_FALSE(has(text::join(prepare(options).notes), "no samples for validation"));
}

// States on eight cells with these coordinates, as options and as a run file.
std::pair<DataOptions, RunOptions> line_at(const Scratch& scratch, const std::vector<double>& x) {
  DataOptions data;
  data.file = scratch.path("a.npz");
  data.open = {"", "n,t,x", 1};
  write_atomically(data.file, testing_support::zip(
                                  {{"u.npy", npy("<f4", "(4, 3, 8)", testing_support::counting<float>(96))},
                                   {"x.npy", npy("<f8", "(8,)", raw(x))}},
                                  false));
  return {data, testing_support::options_of(fmt::format(
                    "data.file = \"{}\"\ndata.axes = \"n,t,x\"\nfield.name = \"conv\"\n", data.file))};
}

TEST(FirstRun, RefusesCellsThatAreNotEvenlySpaced) {
  const Scratch scratch;
  const auto refusal = [&](const std::vector<double>& x) {
    auto [data, options] = line_at(scratch, x);
    const auto of_init = testing_support::sentence_of([&, &file = data] { first_run(file, "mine"); });
    EXPECT_EQ(testing_support::sentence_of([&, &run = options] { prepare(run); }), of_init);
    return of_init;
  };
  const auto stretched = refusal({0, 1, 2, 3, 4, 5, 6, 9});
  EXPECT_TRUE(has(stretched, "a.npz: its x coordinates are not evenly spaced: entry 0 is 0 and entry 1 is 1"))
      << stretched;
  EXPECT_TRUE(has(refusal({0, 1, 2, 3, 3, 5, 6, 7}), "entry 3 is 3 and entry 4 is 3"));
  EXPECT_TRUE(has(refusal({7, 6, 5, 4, 4.5, 2, 1, 0}), "not evenly spaced")) << "neither up nor down";
}

TEST(FirstRun, TakesEvenCellsInEitherOrderAndAsFloat32LeavesThem) {
  const Scratch scratch;
  std::vector<double> single;
  for (int i = 0; i < 8; ++i) single.push_back(static_cast<float>(100 + 0.01 * i));
  for (const auto& x : {std::vector<double>{7, 6, 5, 4, 3, 2, 1, 0}, single}) {
    auto [data, options] = line_at(scratch, x);
    EXPECT_TRUE(has(first_run(data, "mine"), "[field]"));
    const auto range = prepare(options).spec.state.coordinates("x");
    ASSERT_EQ(range.size(), 2U);
    EXPECT_LT(range[0], range[1]);
  }
}

// Cosines with waves of 6.4 cells: a patch of 2 resolves them, one of 4 does not.
TEST(FirstRun, TakesTheFinestPatchThatTheMeasuredStepsLeaveTimeFor) {
  const Scratch scratch;
  std::vector<float> values;
  for (int n = 0; n < 12; ++n) {
    for (int t = 0; t < 5; ++t) {
      for (int y = 0; y < 12; ++y) {
        for (int x = 0; x < 16; ++x) {
          const double wave = std::cos(std::acos(-1.0) * 5 * (x + 0.5) / 16);
          values.push_back(static_cast<float>(wave * std::cos(0.2 * t + n)));
        }
      }
    }
  }
  DataOptions data;
  data.file = scratch.path("cosines.npy");
  data.open.axes = "n,t,y,x";
  data.open.dt = 0.1;
  write_atomically(data.file, npy("<f4", "(12, 5, 12, 16)", raw(values)));
  const auto patch = [&](double seconds) {
    const auto text = first_run(data, "mine", [&](const RunOptions&) { return seconds; });
    EXPECT_TRUE(has(unwrapped(text), fmt::format("a step was measured to take {:.2g} s", seconds))) << text;
    const auto options = read(text);
    const auto field = config::write([&](config::Section& s) { options.field.settings->describe(s); });
    return config::Document::from_text(field, "field").look_up("patch").value_or("none");
  };
  EXPECT_EQ(patch(0.01), "1");
  EXPECT_EQ(patch(10), "2") << "however slow";
  EXPECT_TRUE(has(unwrapped(first_run(data, "mine")), "was measured")) << "by steps of its own";
}

TEST(FirstRun, SaysWhatCannotBeTrainedOn) {
  const Scratch scratch;
  write_atomically(scratch.path("one.npy"), npy("<f4", "(5, 1, 2)", raw(std::vector<float>(10, 1))));
  const auto said = testing_support::sentence_of([&] { proposed(scratch.path("one.npy")); });
  EXPECT_TRUE(has(said, "samples of one frame")) << said;
}

}  // namespace
}  // namespace cvf::train

// Runs that are stopped anywhere, and checkpoints that are damaged: what goes on, and from where.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/machine.hpp"
#include "support/has.hpp"
#include "support/interrupted_run.hpp"

namespace cvf::train {
namespace {

namespace fs = std::filesystem;
using testing_support::events_of;
using testing_support::losses_of;
using testing_support::run;
using testing_support::Scratch;
using testing_support::tiny_run;
using testing_support::weights;

// Each attempt is stopped at a later look at the flag than the one before: in the statistics, between the
// micro-batches, between the batches of a step, at its end, in a rollout.
TEST(Training, GoesOnToTheBitAfterAnInterruptAnywhere) {
  for (const std::string more : {"train.ema_decay = 0.9\ntrain.micro_batch = 9", "objective.name = \"node\"",
                                 "train.accumulate = 3"}) {
    SCOPED_TRACE(more);
    const Scratch scratch;
    const auto toml = tiny_run(scratch.path("data.h5"), more);
    run(toml, scratch.path("whole"));
    const auto stops = testing_support::run_in_parts(toml, scratch.path("parts"), 1, 1);
    EXPECT_GT(stops.size(), 20U);
    EXPECT_NE(
        std::find(stops.begin(), stops.end(), "interrupted before the first step; there was nothing to save"),
        stops.end());
    for (const char* folder : {"last", "best"}) {
      for (const auto& item : fs::directory_iterator(scratch.path("whole/") + folder)) {
        if (item.path().extension() != ".safetensors") continue;
        const auto name = fmt::format("/{}/{}", folder, item.path().filename().string());
        EXPECT_EQ(files::read_whole(scratch.path("whole") + name),
                  files::read_whole(scratch.path("parts") + name))
            << name;
      }
    }
    EXPECT_EQ(losses_of(scratch.path("whole")), losses_of(scratch.path("parts")));
    EXPECT_EQ(events_of(scratch.path("whole"), "validation"), events_of(scratch.path("parts"), "validation"));
  }
}

// What a run of 40 steps may take, and less than the clock shows at its start: a run that counted its time
// from the clock's own beginning would be over at once.
double minutes_below(const std::string& clock, const std::string& toml, const std::string& folder) {
  const double before = clock::cpu_of_process();
  run(toml, folder);
  const double enough = 15 * (clock::cpu_of_process() - before);
  while (clock::cpu_of_process() < enough) {
  }
  return 0.9 * (clock == "cpu" ? clock::cpu_of_process() : clock::wall()) / 60;
}

TEST(Training, GoesOnToItsLastStepWhateverBoundsIt) {
  for (const std::string clock : {"wall", "cpu"}) {
    const Scratch scratch;
    const auto toml = tiny_run(scratch.path("data.h5"));
    const double minutes = minutes_below(clock, toml, scratch.path("alone"));
    for (const auto& bound : {fmt::format("train.minutes = {}\ntrain.clock = \"{}\"", minutes, clock),
                              fmt::format("train.minutes = 1e9\ntrain.clock = \"{}\"", clock),
                              std::string("train.epochs = 10")}) {
      SCOPED_TRACE(bound);
      auto bounded = toml + bound + "\n";
      if (bound.starts_with("train.epochs")) bounded.erase(bounded.find("train.steps = 40"), 16);
      const std::string parts = scratch.path("parts");
      fs::remove_all(parts);
      const auto stops = testing_support::run_in_parts(bounded, parts, 60, 7);
      EXPECT_TRUE(std::ranges::any_of(
          stops, [](const auto& stop) { return testing_support::has(stop, "stopped after step"); }));
      const auto again = run(bounded, parts);
      EXPECT_EQ(again.steps, 40);
      EXPECT_EQ(again.steps_here, 0) << "finished now, and not before";
      EXPECT_EQ(events_of(parts, "validation").size(), 2U);
      EXPECT_EQ(losses_of(parts).size(), 8U);
      if (bound.starts_with("train.minutes = 1e9")) {
        EXPECT_EQ(weights(parts), weights(scratch.path("alone")))
            << "a budget that never ends changes nothing";
      }
    }
  }
}

// Its time was over, but its last losses were not told, its last model not validated.
TEST(Training, DoesTheLastStepThatAKillPreventedWhenTheTimeWasOver) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3\ntrain.minutes = 1e9");
  run(toml, scratch.path("whole"));
  const std::string cut = scratch.path("cut");
  testing_support::back_to_step_20(scratch.path("whole"), cut);
  auto over = toml;
  over.replace(over.find("minutes = 1e9"), 13, "minutes = 1e-9");
  EXPECT_EQ(run(over, cut).steps_here, 1);
  EXPECT_EQ(events_of(cut, "validation").size(), 2U) << "of the steps 20 and 21";
  EXPECT_EQ(events_of(cut, "end").size(), 1U);
  EXPECT_EQ(run(over, cut).steps_here, 0);

  // Checkpoints of before the key for it: their time decides.
  const std::string old = scratch.path("old");
  testing_support::back_to_step_20(scratch.path("whole"), old);
  testing_support::forget_line(old + "/checkpoints/step-000000020", "last_step_done = false");
  EXPECT_EQ(run(over, old).steps_here, 0);
  EXPECT_EQ(run(toml, old).steps_here, 20);
}

TEST(Training, NamesTheBoundThatEndedARunAndWhatContinuesIt) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  const auto ending = [&](const std::string& length, const std::string& folder) {
    auto with = toml;
    with.replace(with.find("train.steps = 40"), 16, length);
    return continuation(run(with, scratch.path(folder)).bounds);
  };
  EXPECT_EQ(ending("train.steps = 20", "a"), "train.steps = 20; --set train.steps=40 continues it");
  EXPECT_EQ(ending("train.steps = 4", "a"), "train.steps = 4; --set train.steps=40 continues it")
      << "20 are done";
  EXPECT_EQ(ending("train.epochs = 2", "b"), "train.epochs = 2; --set train.epochs=4 continues it");
  const std::string short_time = "train.minutes = 1e-9\ntrain.steps = ";
  for (const char* steps : {"40", "400"})
    EXPECT_TRUE(ending(short_time + steps, "c").starts_with("train.minutes = 1e-09; --set train.minutes="));
  const auto both = ending(short_time + "1", "c");
  EXPECT_TRUE(
      both.starts_with("train.steps = 1 and train.minutes = 1e-09; --set train.steps=2 --set "
                       "train.minutes="))
      << both;
  EXPECT_EQ(ending("train.minutes = 1e9\ntrain.steps = 40", "c"),
            "train.steps = 40; --set train.steps=80 continues it");
}

// A kill after the last checkpoint got its name and before `last` pointed to it.
TEST(Training, FinishesWhatAKillPreventedAtTheEnd) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  run(toml, scratch.path("run"));
  fs::remove(scratch.path("run/last"));
  fs::create_symlink("checkpoints/step-000000030", scratch.path("run/last"));
  fs::create_directories(scratch.path("run/checkpoints/step-000000040.cvf-new"));
  fs::copy(scratch.path("run/checkpoints/step-000000030"), scratch.path("run/checkpoints/step-000000020"));
  std::string log = files::read_whole(scratch.path("run/log.jsonl"));
  files::write_atomically(scratch.path("run/log.jsonl"), log.substr(0, log.rfind("{\"event\":\"end\"")));
  EXPECT_TRUE(events_of(scratch.path("run"), "end").empty());
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(run(toml, scratch.path("run")).steps_here, 0);
    EXPECT_EQ(fs::read_symlink(scratch.path("run/last")), "checkpoints/step-000000040");
    EXPECT_EQ(events_of(scratch.path("run"), "end").size(), 1U);
    std::set<std::string> names;
    for (const auto& item : fs::directory_iterator(scratch.path("run/checkpoints")))
      names.insert(item.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"step-000000030", "step-000000040"}));
  }
}

// With keep = 1 the damaged one, which is newer, must not push out the only whole one.
TEST(Training, KeepsAWholeCheckpointBesideANewerDamagedOne) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  run(toml, scratch.path("whole"));
  files::write_atomically(scratch.path("whole/checkpoints/step-000000040/weights.safetensors"), "torn");
  int stops = 0;
  for (int looks = 4; looks < 40; looks += 4) {
    const std::string hurt = scratch.path(fmt::format("hurt-{}", looks));
    fs::copy(scratch.path("whole"), hurt, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    interrupt::request_after(looks);
    try {
      run(toml + "checkpoint.keep = 1\n", hurt);
    } catch (const Interrupted& stop) {
      stops += std::string(stop.what()).find("and saved") == std::string::npos ? 0 : 1;
    }
    interrupt::clear();
    EXPECT_NO_THROW(run(toml, hurt)) << looks << " looks";
  }
  EXPECT_GT(stops, 0);
}

TEST(Training, FallsBackWhenTheNewestCheckpointIsDamaged) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"));
  run(toml, scratch.path("whole"));
  fs::copy(scratch.path("whole"), scratch.path("hurt"),
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const std::string moments = scratch.path("hurt/checkpoints/step-000000040/training.safetensors");
  std::string bytes = files::read_whole(moments);
  bytes[bytes.size() / 2] ^= 1;
  files::write_atomically(moments, bytes);
  const auto outcome = run(toml, scratch.path("hurt"));
  EXPECT_EQ(outcome.steps_here, 10);
  EXPECT_EQ(weights(scratch.path("hurt")), weights(scratch.path("whole")));
}

// Every row had a rupture before there was a key for it.
TEST(Training, GoesOnAsItBeganWhereADefaultHasChanged) {
  const Scratch scratch;
  const auto toml = tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3");
  const auto every = toml + "objective.rupture.rows = 1.0\n";
  run(every, scratch.path("whole"));
  testing_support::back_to_step_20(scratch.path("whole"), scratch.path("old"));
  testing_support::forget_line(scratch.path("old/checkpoints/step-000000020"), "rows = 1.0");
  const auto sentence = testing_support::sentence_of<ConfigError>([&] { run(toml, scratch.path("old")); });
  EXPECT_NE(sentence.find("begun with objective.rupture.rows = 1.0, not 0.25"), std::string::npos)
      << sentence;
  run(every, scratch.path("old"));
  EXPECT_EQ(weights(scratch.path("old")), weights(scratch.path("whole")));
}

// A run that was begun when gcs was the default goes on with it, though the run file names no solver.
TEST(Training, GoesOnWithTheSolverThatItWasBegunWith) {
  const Scratch scratch;
  const std::string folder = scratch.path("run"), file = folder + "/run.toml", steps = "train.steps = 40";
  const auto toml = tiny_run(scratch.path("data.h5"));
  const auto until = [&](const char* step) {
    return std::string(toml).replace(toml.find(steps), steps.size(), std::string("train.steps = ") + step);
  };
  const auto word = [&](const std::string& of, const char* key) {
    return config::Document::from_file(of).look_up(key);
  };
  run(until("10") + "solver.name = \"gcs\"\nsolver.slack = 0.8\n", folder);
  EXPECT_EQ(run(until("20"), folder).steps_here, 10);
  EXPECT_EQ(word(file, "solver.name"), "gcs");
  EXPECT_EQ(word(file, "solver.slack"), "0.8");
  EXPECT_EQ(word(folder + "/last/run.toml", "solver.name"), "gcs");

  auto text = files::read_whole(file);
  const auto table = text.find("[solver]");
  files::write_atomically(file, text.erase(table, text.find("\n[", table) - table));
  run(until("30"), folder);
  EXPECT_EQ(word(file, "solver.name"), "gcs") << "the default when no run file named one";

  run(until("40") + "solver.name = \"euler\"\n", folder);
  EXPECT_EQ(word(file, "solver.name"), "euler") << "who names one gets it";
  run(toml, scratch.path("fresh"));
  EXPECT_EQ(word(scratch.path("fresh/run.toml"), "solver.name"), "euler");
}

TEST(Training, KeepsTheNewestCheckpointsOnly) {
  const Scratch scratch;
  run(tiny_run(scratch.path("data.h5"), "checkpoint.keep = 3"), scratch.path("run"));
  std::set<std::string> names;
  for (const auto& item : fs::directory_iterator(scratch.path("run/checkpoints"))) {
    names.insert(item.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"step-000000020", "step-000000030", "step-000000040"}));
}

}  // namespace
}  // namespace cvf::train

// A run is interrupted at a random moment and resumed, with each bound that a run can have. Steps and epochs:
// the same bytes as without the interruption. Minutes: the whole budget is used, by the clock of the budget.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

const Words train{"train", "run.toml", "--out", "run"};
const Words models{"run/last/weights.safetensors", "run/last/normalizer.safetensors",
                   "run/best/weights.safetensors"};
constexpr double budget = 1;  // seconds of training

struct Length {
  std::string name, setting;
  bool is_time;
};

const std::vector<Length>& lengths() {
  const std::string minutes = fmt::format("train.minutes = {}\ntrain.epochs = 1000000\n", budget / 60);
  static const std::vector<Length> all{{"steps", "train.steps = 60", false},
                                       {"epochs", "train.epochs = 20", false},
                                       {"minutes", minutes + "train.clock = \"wall\"", true},
                                       {"cpu-minutes", minutes + "train.clock = \"cpu\"", true}};
  return all;
}

struct Ending {
  int events = 0;  // a run ends once
  double step = 0, seconds = 0;
};

Ending ending_of(const Place& place) {
  Ending out;
  for (const auto& line : text::split(place.read("run/log.jsonl"), '\n')) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_discarded() || entry.value("event", "") != "end") continue;
    ++out.events;
    out.step = entry.value("step", 0.0);
    out.seconds = entry.value("seconds", 0.0);
  }
  return out;
}

void resume(const Length& length, const Words& inputs, const std::string& workshop, RandomStream random) {
  const Place place;
  place.bring(workshop, inputs);
  place.write("run.toml", run_file(length.setting));
  const double moment = random.uniform(0.3, 2 + budget);
  const bool ask = random.below(2) == 0;
  const Ran first = place.run(train, ask ? Trouble{.ask_after = moment} : Trouble{.kill_after = moment});
  const bool before_main = first.code == -SIGTERM && first.err.empty();
  if (ask && !before_main) {
    expect_manners(first);
    expect_code(first, {0, 8});
  }
  const bool finished = ending_of(place).events > 0;
  const Ran second = place.run(train);
  expect_code(second, {0});
  const Ending end = ending_of(place);
  expect(end.events == 1, fmt::format("the journal has {} ends", end.events));
  expect(finished || second.err.find("was finished before") == std::string::npos,
         "an interrupted run is taken for a finished one, " + words(second));
  if (length.is_time) {
    expect(end.seconds >= budget, fmt::format("{} s of {} s were used", end.seconds, budget));
    return;
  }
  const Place whole;
  whole.bring(workshop, inputs);
  whole.write("run.toml", run_file(length.setting));
  expect_code(whole.run(train), {0});
  for (const auto& model : models)
    expect(!place.read(model).empty() && place.read(model) == whole.read(model), model + " has other bytes");
}

}  // namespace

void add_resumes(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& length : lengths()) {
    kinds.push_back(
        {"resume-" + length.name, "a run bounded by " + length.name + ", interrupted and resumed",
         heavy_cases,
         [=, &length](std::size_t, RandomStream random) { resume(length, {"data.h5"}, workshop, random); },
         length.is_time ? "resume within a time" : "resume within a count"});
  }
}

}  // namespace cvf::torture

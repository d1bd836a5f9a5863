// Commands that write, with a name that is taken: docs/data.md says what they may replace.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

namespace fs = std::filesystem;

struct Writing {
  Words inputs, command;  // the output's name follows
};

const std::vector<Writing>& writings() {
  static const std::vector<Writing> all{
      {{"data.h5"}, {"data", "convert", "data.h5"}},
      {{}, {"data", "generate", "pendulum", "--samples", "2", "--frames", "4", "--out"}},
      {{"data.h5"}, {"data", "picture", "data.h5", "--out"}},
      {{"data.h5"}, {"report", "run", "--out"}},
      {{"data.h5"}, {"rollout", "model", "--data", "data.h5", "--samples", "0", "--out"}},
      {{}, {"export", "model"}},
  };
  return all;
}

constexpr const char* foreign = "notes.onnx";  // export takes no other names
const Words targets{"data.h5",
                    "model/weights.safetensors",
                    "model/model.toml",
                    "run/run.toml",
                    "run/log.jsonl",
                    "run/last/weights.safetensors",
                    foreign};

// Another path to the same file.
std::string alias(const Place& place, const std::string& target, std::size_t kind) {
  switch (kind) {
    case 1:
      return "./" + target;
    case 2:
      return place.path(target);
    case 3:
      fs::create_symlink(place.path(target), place.path("alias"));
      return "alias";
    case 4:
      fs::create_hard_link(place.path(target), place.path("alias"));
      return "alias";
    default:
      return target;
  }
}

void run(const std::string& workshop, std::size_t number, RandomStream random) {
  const Place place;
  place.bring(workshop, {"data.h5", "model", "run"});
  place.write(foreign, "a file of the user\n");
  const Writing& writing = writings()[number % writings().size()];
  const std::string& target = targets[number / writings().size() % targets.size()];
  Words command = writing.command;
  const bool is_input =
      std::find(writing.inputs.begin(), writing.inputs.end(), target) != writing.inputs.end();
  const bool is_kept =
      target != foreign && (is_input || target.find('/') != std::string::npos || command.front() == "export");
  const bool overwrite = random.below(2) == 0;
  std::map<std::string, std::string> before;
  for (const auto& file : targets) before[file] = place.read(file);

  // A hard link to a file that the command does not read is a file of the user.
  command.push_back(alias(place, target, random.below(is_input ? 5 : is_kept ? 4 : 3)));
  if (overwrite) command.push_back("--overwrite");
  const Ran ran = place.run(command);
  const std::string about = fmt::format("cvf {}, {}", fmt::join(command, " "), words(ran));
  expect_manners(ran);
  const bool exists = !overwrite && ran.code == 4;  // may be noticed before the command knows what it reads
  expect(ran.code == (is_kept ? 2 : overwrite ? 0 : 4) || exists, "the wrong exit code: " + about);
  for (const auto& [file, content] : before) {
    const bool replaced = file == target && ran.code == 0;
    expect((place.read(file) != content) == replaced,
           fmt::format("{} {}: {}", file, replaced ? "is as before" : "has changed", about));
  }
}

}  // namespace

void add_outputs(std::vector<Kind>& kinds, const std::string& workshop) {
  kinds.push_back({"output-onto-file", "commands that write onto an input, a model's file or another one",
                   420, [=](std::size_t number, RandomStream random) { run(workshop, number, random); }});
}

}  // namespace cvf::torture

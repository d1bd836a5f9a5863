// What a killed command left behind is damaged before the same command goes on: the checkpoints of a run, the
// unfinished file and the journal of generate. Either the outcome is right or a sentence says what is wrong.
#include <fmt/format.h>

#include <filesystem>

#include "torture/kinds/kinds.hpp"
#include "torture/mutate.hpp"

namespace cvf::torture {
namespace {

namespace fs = std::filesystem;

// Every file that the command has left in the place but the inputs, deep down too.
std::vector<std::string> left_by(const Place& place, const Job& job) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(place.path(""))) {
    const std::string name = fs::relative(entry.path(), place.path("")).string();
    const bool ours = name.find('/') != std::string::npos || name.starts_with("out.h5");
    const bool input = std::find(job.inputs.begin(), job.inputs.end(), name) != job.inputs.end();
    if (entry.is_regular_file() && !entry.is_symlink() && ours && !input) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void damage(const Place& place, const std::string& name, RandomStream& random) {
  const std::string content = place.read(name);
  if (random.below(4) == 0) {
    fs::remove(place.path(name));
  } else {
    place.write(name, mutated_bytes(content, random));
  }
}

void run(const std::string& workshop, const Job& job, RandomStream random) {
  const Place place;
  begin(place, workshop, job);
  const auto calls = undisturbed(workshop, job).calls;
  place.run(job.command, {.at = 1 + calls / 3 + random.below(calls * 2 / 3), .action = "kill"});
  const auto left = left_by(place, job);
  if (!left.empty()) damage(place, left[random.below(left.size())], random);
  Words words = job.command;
  if (place.has(job.outputs.front())) words.insert(words.end(), job.again.begin(), job.again.end());
  const Ran ran = place.run(words);
  expect_manners(ran);
  if (ran.code == 0) return expect_made(place, workshop, job);
  expect_code(ran, {3, 4, 5});
}

}  // namespace

void add_leftovers(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& [name, cases] : {std::pair<std::string, std::size_t>{"generate", 300}, {"train", 100}}) {
    kinds.push_back(
        {name + "-leftovers", "what a killed " + name + " left, with damage", cases,
         [=, &job = job_named(name)](std::size_t, RandomStream random) { run(workshop, job, random); },
         name == "train" ? "train in trouble" : name + "-leftovers"});
  }
}

}  // namespace cvf::torture

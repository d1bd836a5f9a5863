#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

constexpr const char* foreign = "notes.txt";
constexpr const char* foreign_words = "a file of the user's own\n";

Words again(const Place& place, const Job& job) {
  Words words = job.command;
  if (place.has(job.outputs.front())) words.insert(words.end(), job.again.begin(), job.again.end());
  return words;
}

}  // namespace

std::vector<Kind> table(const std::string& workshop) {
  std::vector<Kind> kinds;
  add_faults(kinds, workshop);
  add_moments(kinds, workshop);
  add_mutants(kinds, workshop);
  add_model_mutants(kinds, workshop);
  add_leftovers(kinds, workshop);
  add_writers(kinds, workshop);
  add_resumes(kinds, workshop);
  add_outputs(kinds, workshop);
  add_streams(kinds, workshop);
  add_meanings(kinds);
  add_units(kinds);
  return kinds;
}

bool is_quick(const Job& job) {
  return job.command.front() == "data" || job.command.front() == "report";
}

const Job& job_named(const std::string& name) {
  const auto& all = jobs();
  return *std::find_if(all.begin(), all.end(), [&](const Job& job) { return job.name == name; });
}

void begin(const Place& place, const std::string& workshop, const Job& job) {
  place.bring(workshop, job.inputs);
  place.write(foreign, foreign_words);
}

void expect_made(const Place& place, const std::string& workshop, const Job& job) {
  for (const auto& [output, wanted] : undisturbed(workshop, job).outputs) {
    expect(place.has(output), output + " is not there after exit code 0");
    expect(comparable(output, place.read(output)) == comparable(output, wanted),
           output + " has other bytes than after an undisturbed run");
  }
  expect(place.read(foreign) == foreign_words, "a file of the user's own is gone");
}

void finish(const Place& place, const std::string& workshop, const Job& job) {
  const Ran ran = place.run(again(place, job));
  expect(ran.code == 0, fmt::format("the same command does not finish afterwards, {}", words(ran)));
  expect_made(place, workshop, job);
}

}  // namespace cvf::torture

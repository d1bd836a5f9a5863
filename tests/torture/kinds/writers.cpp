// Two processes that want to write the same thing at the same time.
#include <fmt/format.h>

#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

std::size_t finished(const std::vector<Ran>& all) {
  std::size_t out = 0;
  for (const auto& ran : all) {
    expect_manners(ran);
    out += ran.code == 0 ? 1 : 0;
  }
  return out;
}

void same_twice(const std::string& workshop, const Job& job) {
  const Place place;
  begin(place, workshop, job);
  expect(finished(place.run_together({job.command, job.command})) >= 1, "neither of the two finished");
  expect_made(place, workshop, job);
}

// Whoever finishes, the file is wholly that one's.
void two_seeds(std::size_t number) {
  const auto command = [](std::size_t seed) {
    return Words{"data",      "generate", "pendulum",
                 "--samples", "4",        "--frames",
                 "12",        "--seed",   fmt::format("{}", seed),
                 "--out",     "out.h5"};
  };
  const Place alone, other, both;
  expect(alone.run(command(number)).code == 0 && other.run(command(number + 1)).code == 0,
         "undisturbed, one failed");
  const auto ran = both.run_together({command(number), command(number + 1)});
  expect(finished(ran) == 1, fmt::format("{} of two different files with one name finished", finished(ran)));
  expect(both.read("out.h5") == (ran[0].code == 0 ? alone : other).read("out.h5"),
         "out.h5 is not the winner's");
}

}  // namespace

void add_writers(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& [name, cases] : {std::pair<std::string, std::size_t>{"generate", 150}, {"train", 30}}) {
    kinds.push_back({name + "-twice", "the same " + name + " by two processes at once", cases,
                     [=, &job = job_named(name)](std::size_t, RandomStream) { same_twice(workshop, job); },
                     name == "train" ? "train in trouble" : name + "-twice"});
  }
  kinds.push_back({"generate-two-seeds", "one file by two processes with different seeds", 100,
                   [](std::size_t number, RandomStream) { two_seeds(number); }});
}

}  // namespace cvf::torture

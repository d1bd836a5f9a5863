// One file-system call of a command fails, comes up short, or is where the process is killed or asked to end.
// The same command, undisturbed, then finishes to the same bytes.
#include <fmt/format.h>

#include <cerrno>

#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

struct Action {
  std::string name, word;
};

const std::vector<Action>& actions() {
  static const std::vector<Action> all{{"enospc", fmt::format("{}", ENOSPC)},
                                       {"eio", fmt::format("{}", EIO)},
                                       {"short", "short"},
                                       {"kill", "kill"},
                                       {"term", "term"}};
  return all;
}

void run(const std::string& workshop, const Job& job, const Action& action, std::uint64_t at) {
  const Place place;
  begin(place, workshop, job);
  const Ran ran = place.run(job.command, {.at = at, .action = action.word});
  if (ran.code != -SIGKILL) expect_manners(ran);
  if (action.name == "short") expect_code(ran, {0, 4, 5});
  if (action.name == "term") expect_code(ran, {0, 8});
  if (ran.code == 0) return expect_made(place, workshop, job);
  finish(place, workshop, job);
}

}  // namespace

void add_faults(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& job : jobs()) {
    const bool quick = is_quick(job);
    for (const auto& action : actions()) {
      const std::string name = job.name + "-" + action.name;
      kinds.push_back({name, fmt::format("{} at a file-system call of {}", action.name, job.name),
                       quick ? undisturbed(workshop, job).calls : heavy_cases,
                       [=, &job, &action](std::size_t number, RandomStream random) {
                         const auto calls = undisturbed(workshop, job).calls;
                         run(workshop, job, action, quick ? number + 1 : 1 + random.below(calls));
                       },
                       quick ? name : "faults with LibTorch"});
    }
  }
}

}  // namespace cvf::torture

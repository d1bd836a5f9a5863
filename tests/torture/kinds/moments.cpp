// Killed, or asked to end, at a random moment; then the same command finishes to the same bytes.
#include <fmt/format.h>

#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

void run(const std::string& workshop, const Job& job, bool ask, double after) {
  const Place place;
  begin(place, workshop, job);
  const Ran ran = place.run(job.command, ask ? Trouble{.ask_after = after} : Trouble{.kill_after = after});
  const bool before_main = ran.code == -SIGTERM && ran.err.empty();  // nobody listens yet
  if (ask && !before_main) {
    expect_manners(ran);
    expect_code(ran, {0, 8});
  }
  if (ran.code == 0) return expect_made(place, workshop, job);
  finish(place, workshop, job);
}

}  // namespace

void add_moments(std::vector<Kind>& kinds, const std::string& workshop) {
  for (const auto& job : jobs()) {
    for (const bool ask : {false, true}) {
      const std::string name = job.name + (ask ? "-asked" : "-killed");
      kinds.push_back({name,
                       fmt::format("{} {} at a random moment", job.name, ask ? "asked to end" : "killed"),
                       is_quick(job) ? 100 : heavy_cases,
                       [=, &job](std::size_t, RandomStream random) {
                         const double whole = 1.2 * undisturbed(workshop, job).seconds;
                         run(workshop, job, ask, random.uniform(0.001, whole));
                       },
                       is_quick(job) ? name : "moments with LibTorch"});
    }
  }
}

}  // namespace cvf::torture

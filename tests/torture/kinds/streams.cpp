// Standard output is full or closed, or there are no standard streams at all. What cannot be printed is an
// error, and files that are written meanwhile are whole: a file must not take the place of a closed stream.
#include <fmt/format.h>

#include "torture/kinds/kinds.hpp"

namespace cvf::torture {
namespace {

struct Printing {
  Words inputs, command;
};

const std::vector<Printing>& printings() {
  static const std::vector<Printing> all{
      {{}, {"--help"}},
      {{}, {"--version"}},
      {{}, {"train", "--help"}},
      {{}, {"explain"}},
      {{}, {"explain", "solver"}},
      {{}, {"completion", "bash"}},
      {{}, {"evaluate", "--definitions"}},
      {{"data.h5"}, {"data", "inspect", "data.h5"}},
      {{"data.h5"}, {"data", "inspect", "data.h5", "--json"}},
      {{"data.h5"}, {"data", "audit", "data.h5"}},
      {{"data.h5"}, {"data", "audit", "data.h5", "--json"}},
      {{}, {"data", "generate", "pendulum", "--print-config"}},
      {{"data.h5", "run.toml"}, {"train", "run.toml", "--print-config"}},
      {{"data.h5", "model"}, {"evaluate", "model", "--samples", "4", "--protocol", "direct", "--json"}},
  };
  return all;
}

const Words redirections{">/dev/full", ">&-", ">&- 2>&-", "<&- >&- 2>&-"};

// Without a standard error nothing can be said.
bool is_silent(const std::string& redirection) {
  return redirection.find("2>&-") != std::string::npos;
}

void print(const std::string& workshop, std::size_t number) {
  const Printing& printing = printings()[number / redirections.size() % printings().size()];
  const std::string& redirection = redirections[number % redirections.size()];
  const Place place;
  place.bring(workshop, printing.inputs);
  const Ran ran = place.run(printing.command, {.redirected = redirection});
  const std::string command = fmt::format("cvf {} {}", fmt::join(printing.command, " "), redirection);
  expect(ran.code >= 2 && ran.code <= 9 && ran.code != 7, fmt::format("{}: {}", command, words(ran)));
  if (!is_silent(redirection)) expect_manners(ran);
}

// Verbs that write a file may print or not: exit code 0 only with the whole file.
void write(const std::string& workshop, std::size_t number) {
  const Job& job = jobs()[number / redirections.size() % jobs().size()];
  const std::string& redirection = redirections[number % redirections.size()];
  const Place place;
  begin(place, workshop, job);
  const Ran ran = place.run(job.command, {.redirected = redirection});
  expect(ran.code >= 0, fmt::format("{} {}: died of a signal, {}", job.name, redirection, words(ran)));
  if (!is_silent(redirection)) expect_manners(ran);
  if (ran.code == 0) return expect_made(place, workshop, job);
  finish(place, workshop, job);
}

}  // namespace

void add_streams(std::vector<Kind>& kinds, const std::string& workshop) {
  kinds.push_back({"print-nowhere", "commands that print, with standard output full or closed",
                   printings().size() * redirections.size(),
                   [=](std::size_t number, RandomStream) { print(workshop, number); }});
  kinds.push_back({"write-unheard", "commands that write a file, with standard output full or closed",
                   jobs().size() * redirections.size(),
                   [=](std::size_t number, RandomStream) { write(workshop, number); }});
}

}  // namespace cvf::torture

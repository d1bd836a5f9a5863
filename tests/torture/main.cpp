// cvf_torture: every case, a short form, or one case again. Says what was tried, and ends with "N tried, M
// failed".
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "core/text.hpp"
#include "torture/workshop.hpp"

namespace cvf::torture {
namespace {

using Clock = std::chrono::steady_clock;

struct Wanted {
  std::uint64_t seed = 1;
  std::vector<std::string> only;
  std::size_t from = 0, count = 0, jobs = std::max(1U, std::thread::hardware_concurrency());
  bool brief = false, list = false;

  bool includes(const Kind& kind) const {
    return only.empty() || std::find(only.begin(), only.end(), kind.name) != only.end();
  }
  std::size_t cases_of(const Kind& kind) const {
    const std::size_t left = kind.cases - std::min(kind.cases, from);
    return count > 0 ? std::min(count, left) : left;
  }
};

struct Case {
  const Kind* kind;
  std::size_t number;
};

class Tally {
 public:
  Tally(const std::vector<Case>& cases, std::uint64_t seed) : seed_(seed) {
    for (const auto& one : cases) ++counts_[one.kind].left;
  }

  void add(const Case& one, const std::string& fault) {
    const std::lock_guard lock(mutex_);
    Count& count = counts_.at(one.kind);
    ++count.tried;
    if (!fault.empty()) {
      ++count.failed;
      fmt::print("FAILED {} {}: {}\n  again: {} --seed {} --only {} --from {} --count 1\n", one.kind->name,
                 one.number, fault, CVF_TORTURE_PROGRAM, seed_, one.kind->name, one.number);
    }
    if (--count.left == 0) {
      fmt::print("{:<20} {:>5} tried {:>4} failed  {}\n", one.kind->name, count.tried, count.failed,
                 one.kind->summary);
    }
    std::fflush(stdout);
  }

  int conclude(double seconds) const {
    Count all;
    for (const auto& [kind, count] : counts_) all.tried += count.tried, all.failed += count.failed;
    fmt::print("{} kinds in {}\n{} tried, {} failed\n", counts_.size(), text::duration(seconds), all.tried,
               all.failed);
    return all.failed > 0 ? 1 : 0;
  }

 private:
  struct Count {
    std::size_t left = 0, tried = 0, failed = 0;
  };

  std::uint64_t seed_;
  std::mutex mutex_;
  std::map<const Kind*, Count> counts_;
};

std::string fault_of(const Case& one, std::uint64_t seed) {
  try {
    one.kind->run(one.number, RandomStream(seed, one.kind->name, one.number));
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<Case> cases_of(const std::vector<Kind>& kinds, const Wanted& wanted) {
  std::vector<Case> out;
  std::map<std::string, std::vector<const Kind*>> groups;
  for (const auto& kind : kinds) {
    if (!wanted.includes(kind)) continue;
    groups[kind.group].push_back(&kind);
    for (std::size_t k = 0; !wanted.brief && k < wanted.cases_of(kind); ++k)
      out.push_back({&kind, wanted.from + k});
  }
  if (!wanted.brief) return out;
  for (const auto& [name, members] : groups) {
    RandomStream random(wanted.seed, "which." + name, 0);
    const Kind* kind = members[random.below(members.size())];
    out.push_back({kind, random.below(kind->cases)});
  }
  return out;
}

int torture(const Wanted& wanted) {
  const auto begin = Clock::now();
  const testing_support::Scratch scratch;
  const std::string workshop = scratch.path("workshop");
  prepare_workshop(workshop);
  const auto kinds = table(workshop);
  if (wanted.list) {
    for (const auto& kind : kinds) fmt::print("{:<20} {:>5}  {}\n", kind.name, kind.cases, kind.summary);
    return 0;
  }
  const auto cases = cases_of(kinds, wanted);
  Tally tally(cases, wanted.seed);
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < wanted.jobs; ++i) {
    workers.emplace_back([&] {
      for (std::size_t k = next++; k < cases.size(); k = next++)
        tally.add(cases[k], fault_of(cases[k], wanted.seed));
    });
  }
  for (auto& worker : workers) worker.join();
  return tally.conclude(std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace
}  // namespace cvf::torture

int main(int argc, char** argv) {
  setenv("SOURCE_DATE_EPOCH", "0", 1);  // a page that is made twice has the same bytes, midnight or not
  cvf::torture::Wanted wanted;
  CLI::App app("attacks the cvf program: faults at file-system calls, kills, damaged files, two writers",
               "cvf_torture");
  app.add_option("--seed", wanted.seed, "of every random choice")->capture_default_str();
  app.add_option("--only", wanted.only, "these kinds, comma separated")->delimiter(',');
  app.add_option("--from", wanted.from, "the first case of each kind")->capture_default_str();
  app.add_option("--count", wanted.count, "so many cases of each kind; 0: all")->capture_default_str();
  app.add_option("--jobs", wanted.jobs, "cases at the same time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--brief", wanted.brief, "a case of each group of kinds: the form that is part of make test");
  app.add_flag("--list", wanted.list, "the kinds and how many cases they have");
  CLI11_PARSE(app, argc, argv);
  try {
    return cvf::torture::torture(wanted);
  } catch (const std::exception& error) {
    std::cerr << "cvf_torture: " << error.what() << "\n";
    return 2;
  }
}

// cvf_torture: every case, a short form, or one case again. Says what was tried, and ends with "N tried, M
// failed".
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
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
    constexpr std::size_t brief_cases = 1;
    if (count > 0) return std::min(count, kind.cases - std::min(kind.cases, from));
    if (brief) return std::min(kind.cases, brief_cases);
    return kind.cases - std::min(kind.cases, from);
  }
};

class Tally {
 public:
  explicit Tally(std::uint64_t seed) : seed_(seed) {}

  void add(const Kind& kind, std::size_t number, const std::string& fault) {
    const std::lock_guard lock(mutex_);
    ++tried_;
    if (fault.empty()) return;
    ++failed_;
    ++failed_here_;
    fmt::print("FAILED {} {}: {}\n  again: {} --seed {} --only {} --from {} --count 1\n", kind.name, number,
               fault, CVF_TORTURE_PROGRAM, seed_, kind.name, number);
    std::fflush(stdout);
  }
  void end(const Kind& kind, std::size_t cases, double seconds) {
    fmt::print("{:<20} {:>5} tried {:>4} failed {:>7.1f} s  {}\n", kind.name, cases, failed_here_, seconds,
               kind.summary);
    std::fflush(stdout);
    failed_here_ = 0;
  }
  int conclude(double seconds) const {
    fmt::print("in {}\n{} tried, {} failed\n", text::duration(seconds), tried_, failed_);
    return failed_ > 0 ? 1 : 0;
  }

 private:
  std::uint64_t seed_;
  std::mutex mutex_;
  std::size_t tried_ = 0, failed_ = 0, failed_here_ = 0;
};

std::string fault_of(const Kind& kind, std::size_t number, std::uint64_t seed) {
  try {
    kind.run(number, RandomStream(seed, kind.name, number));
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void run(const Kind& kind, const Wanted& wanted, Tally& tally) {
  const auto begin = Clock::now();
  const std::size_t cases = wanted.cases_of(kind);
  if (cases == 0) return;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < wanted.jobs; ++i) {
    workers.emplace_back([&] {
      for (std::size_t k = next++; k < cases; k = next++) {
        // The short form takes its few cases from anywhere in the long one.
        const bool anywhere = wanted.brief && wanted.count == 0;
        const std::size_t number =
            anywhere ? RandomStream(wanted.seed, "which." + kind.name, k).below(kind.cases) : wanted.from + k;
        tally.add(kind, number, fault_of(kind, number, wanted.seed));
      }
    });
  }
  for (auto& worker : workers) worker.join();
  tally.end(kind, cases, since(begin));
}

int torture(const Wanted& wanted) {
  const auto begin = Clock::now();
  const testing_support::Scratch scratch;
  const std::string workshop = scratch.path("workshop");
  prepare_workshop(workshop);
  Tally tally(wanted.seed);
  for (const auto& kind : table(workshop)) {
    if (!wanted.includes(kind)) continue;
    if (wanted.list) {
      fmt::print("{:<20} {:>5}  {}\n", kind.name, kind.cases, kind.summary);
    } else {
      run(kind, wanted, tally);
    }
  }
  return wanted.list ? 0 : tally.conclude(since(begin));
}

}  // namespace
}  // namespace cvf::torture

int main(int argc, char** argv) {
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
  app.add_flag("--brief", wanted.brief, "a case of each kind: the form that is part of make test");
  app.add_flag("--list", wanted.list, "the kinds and how many cases they have");
  CLI11_PARSE(app, argc, argv);
  try {
    return cvf::torture::torture(wanted);
  } catch (const std::exception& error) {
    std::cerr << "cvf_torture: " << error.what() << "\n";
    return 2;
  }
}

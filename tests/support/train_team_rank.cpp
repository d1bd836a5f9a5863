// A program whose copies are the ranks of a team: `train_team_rank RANKS WHAT FOLDER`. Each rank leaves what
// it has to say in FOLDER/rankN.
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/threads.hpp"
#include "support/listeners.hpp"
#include "support/team_tensors.hpp"
#include "train/team/launcher.hpp"
#include "train/team/team.hpp"

namespace cvf::train {
namespace {

std::string bytes_of(const std::vector<torch::Tensor>& tensors) {
  std::string out;
  for (const auto& t : tensors) {
    if (!t.defined()) continue;
    const auto flat = t.contiguous();
    out.append(static_cast<const char*>(flat.data_ptr()), flat.nbytes());
  }
  return out;
}

std::string average(Team& team) {
  const auto tensors = testing_support::tensors_of_rank(team.rank());
  team.average(tensors);
  return bytes_of(tensors);
}

std::string broadcast(Team& team) {
  const auto tensors = testing_support::tensors_of_rank(team.rank());
  team.broadcast(tensors, team.size() - 1);
  return bytes_of(tensors);
}

std::string numbers(Team& team) {
  const double rank = team.rank();
  const auto all = team.gather(10 * rank);
  auto averaging = team.begin_average(std::vector{torch::full({2}, rank)});
  const bool some = team.any(rank == 1), none = team.any(false);
  averaging.finish();
  team.check_same({{"optimizer.rate", "0.1"}, {"seed", "3"}});
  team.barrier();
  return fmt::format("{} {} {} {} {} threads {} quiet {}", team.sum(1.5), all[0], all.back(), some, none,
                     threads::count(), log::level() == log::Level::quiet);
}

std::string differ(Team& team) {
  try {
    Team::Settings settings{
        {"a", "1"}, {"optimizer.rate", team.rank() == 1 ? "0.02" : "0.01"}, {"seed", "3"}};
    if (team.rank() == 1) settings.erase("seed");
    team.check_same(settings);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string work(Team& team, const std::string& folder) {
  const auto leave = [&](const char* what, const std::string& said) {
    files::write_atomically(fmt::format("{}/{}{}", folder, what, team.rank()), said);
  };
  leave("average", average(team));
  leave("broadcast", broadcast(team));
  leave("numbers", numbers(team));
  leave("differ", differ(team));
  return "";
}

// Rank 1 goes away in the midst of the others' work.
template <class End>
std::string lose(Team& team, End&& end) {
  const std::vector<torch::Tensor> gradient{torch::ones(100000)};
  for (int step = 0;; ++step) {
    team.average(gradient);
    if (step == 20 && team.rank() == 1) end();
  }
}

std::string until_interrupted(Team& team, const std::string& folder) {
  team.barrier();
  if (team.leads()) files::write_atomically(folder + "/ready", "");
  while (!team.any(interrupt::requested())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (team.leads()) std::this_thread::sleep_for(std::chrono::milliseconds(300));  // saves a checkpoint, say
  files::write_atomically(fmt::format("{}/rank{}", folder, team.rank()), "saved");
  throw Interrupted("interrupted; the same command continues");
}

std::string act(Team& team, const std::string& what, const std::string& folder) {
  if (what == "work") return work(team, folder);
  if (what == "killed") return lose(team, [] { std::raise(SIGKILL); });
  if (what == "exits") return lose(team, [] { throw NumericsError("the loss is not finite"); });
  if (what == "stops") return lose(team, [] { std::raise(SIGSTOP); });
  if (what == "listens") {
    team.barrier();
    files::write_atomically(fmt::format("{}/listeners{}", folder, team.rank()), testing_support::listeners());
    team.barrier();
    return "";
  }
  if (what == "interrupted") return until_interrupted(team, folder);
  throw UsageError("unknown '{}'", what);
}

// The launcher's patience is long, so that no rank is ended before it has left what it had to say, however
// busy the machine.
void run(int ranks, const std::string& what, const std::string& folder) {
  if (!process_environment()("CVF_RANK_THREADS")) {
    return run_ranks({.ranks = ranks,
                      .threads = threads::count(),
                      .arguments = own_arguments(),
                      .patience = std::chrono::minutes(20)});
  }
  const Membership place = membership();
  const std::string own = fmt::format("{}/rank{}", folder, place.rank);
  try {
    // So long that a rank which ends early has not waited for it.
    constexpr double very_long = 3600;
    Team team = Team::join({.timeout = what == "stops" ? 4 : very_long, .bucket_megabytes = 0.5});
    files::write_atomically(own, act(team, what, folder));
  } catch (const TeamError& error) {
    files::write_atomically(own, error.what());
    throw;
  }
}

}  // namespace
}  // namespace cvf::train

int main(int, char** argv) {
  cvf::threads::use(4);
  cvf::interrupt::install();
  try {
    cvf::train::run(std::atoi(argv[1]), argv[2], argv[3]);
    return 0;
  } catch (const cvf::Error& error) {
    fmt::print(stderr, "cvf: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}

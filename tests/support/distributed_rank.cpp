// A program whose copies are the ranks of a group: `train_team_rank RANKS WHAT FOLDER`. Each rank leaves what
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
#include "support/group_tensors.hpp"
#include "support/listeners.hpp"
#include "train/distributed/launcher.hpp"
#include "train/distributed/process_group.hpp"

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

std::string average(ProcessGroup& group) {
  const auto tensors = testing_support::tensors_of_rank(group.rank());
  group.average(tensors);
  return bytes_of(tensors);
}

std::string broadcast(ProcessGroup& group) {
  const auto tensors = testing_support::tensors_of_rank(group.rank());
  group.broadcast(tensors, group.size() - 1);
  return bytes_of(tensors);
}

std::string numbers(ProcessGroup& group) {
  const double rank = group.rank();
  const auto all = group.gather(10 * rank);
  auto averaging = group.begin_average(std::vector{torch::full({2}, rank)});
  const bool some = group.any(rank == 1), none = group.any(false);
  averaging.finish();
  group.check_same({{"optimizer.learning_rate", "0.1"}, {"seed", "3"}});
  group.barrier();
  return fmt::format("{} {} {} {} {} threads {} quiet {}", group.sum(1.5), all[0], all.back(), some, none,
                     threads::count(), log::level() == log::Level::quiet);
}

std::string differ(ProcessGroup& group) {
  try {
    ProcessGroup::Settings settings{
        {"a", "1"}, {"optimizer.learning_rate", group.rank() == 1 ? "0.02" : "0.01"}, {"seed", "3"}};
    if (group.rank() == 1) settings.erase("seed");
    group.check_same(settings);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string work(ProcessGroup& group, const std::string& folder) {
  const auto leave = [&](const char* what, const std::string& said) {
    files::write_atomically(fmt::format("{}/{}{}", folder, what, group.rank()), said);
  };
  leave("average", average(group));
  leave("broadcast", broadcast(group));
  leave("numbers", numbers(group));
  leave("differ", differ(group));
  return "";
}

// Rank 1 goes away in the midst of the others' work.
template <class End>
std::string lose(ProcessGroup& group, End&& end) {
  const std::vector<torch::Tensor> gradient{torch::ones(100000)};
  for (int step = 0;; ++step) {
    group.average(gradient);
    if (step == 20 && group.rank() == 1) end();
  }
}

std::string until_interrupted(ProcessGroup& group, const std::string& folder) {
  group.barrier();
  if (group.leads()) files::write_atomically(folder + "/ready", "");
  while (!group.any(interrupt::requested())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (group.leads()) std::this_thread::sleep_for(std::chrono::milliseconds(300));  // saves a checkpoint, say
  files::write_atomically(fmt::format("{}/rank{}", folder, group.rank()), "saved");
  throw Interrupted("interrupted; the same command continues");
}

std::string act(ProcessGroup& group, const std::string& what, const std::string& folder) {
  if (what == "work") return work(group, folder);
  if (what == "killed") return lose(group, [] { std::raise(SIGKILL); });
  if (what == "exits") return lose(group, [] { throw NumericsError("the loss is not finite"); });
  if (what == "stops") return lose(group, [] { std::raise(SIGSTOP); });
  if (what == "listens") {
    group.barrier();
    files::write_atomically(fmt::format("{}/listeners{}", folder, group.rank()),
                            testing_support::listeners());
    group.barrier();
    return "";
  }
  if (what == "interrupted") return until_interrupted(group, folder);
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
    ProcessGroup group =
        ProcessGroup::join(folder, {.timeout = what == "stops" ? 4 : very_long, .bucket_megabytes = 0.5});
    files::write_atomically(own, act(group, what, folder));
  } catch (const DistributedError& error) {
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

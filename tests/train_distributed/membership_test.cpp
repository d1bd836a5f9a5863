// Who we are, as each launcher tells it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "support/scratch.hpp"
#include "train/distributed/launcher.hpp"
#include "train/distributed/process_group.hpp"

namespace cvf::train {
namespace {

using testing_support::sentence_of;
using Variables = std::map<std::string, std::string>;

Environment with(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Membership, OfAnEmptyEnvironmentIsATeamOfOne) {
  const auto alone = membership(with({}));
  EXPECT_EQ(alone.rank, 0);
  EXPECT_EQ(alone.size, 1);
}

TEST(Membership, FollowsEveryConvention) {
  struct Case {
    Variables variables;
    int rank, size, local_rank;
    std::string address, launch;
  };
  const Case cases[] = {
      {{{"RANK", "2"},
        {"WORLD_SIZE", "4"},
        {"LOCAL_RANK", "1"},
        {"MASTER_ADDR", "head"},
        {"MASTER_PORT", "1234"}},
       2,
       4,
       1,
       "head",
       "torchrun MASTER_PORT=1234"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "1"}}, 0, 1, 0, "", ""},
      {{{"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "2"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
        {"PMIX_NAMESPACE", "77"},
        {"OMPI_MCA_ess_base_jobid", "77"}},
       1,
       2,
       1,
       "127.0.0.1",
       "Open MPI PMIX_NAMESPACE=77 OMPI_MCA_ess_base_jobid=77"},
      {{{"PMI_RANK", "1"},
        {"PMI_SIZE", "2"},
        {"MPI_LOCALRANKID", "1"},
        {"MPI_LOCALNRANKS", "2"}},
       1,
       2,
       1,
       "127.0.0.1",
       fmt::format("MPICH {}", getppid())},
      {{{"PMI_RANK", "3"},
        {"PMI_SIZE", "8"},
        {"MPI_LOCALRANKID", "1"},
        {"MPI_LOCALNRANKS", "2"},
        {"MASTER_ADDR", "n0"},
        {"CVF_LAUNCH_ID", "tuesday"}},
       3,
       8,
       1,
       "n0",
       "tuesday"},
      {{{"SLURM_PROCID", "5"},
        {"SLURM_NTASKS", "16"},
        {"SLURM_LOCALID", "1"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_JOB_ID", "4200017"},
        {"SLURM_STEP_NODELIST", "node[03-06]"},
        {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}},
       5,
       16,
       1,
       "node03",
       "Slurm SLURM_JOB_ID=4200017 SLURM_STEP_ID=0"},
      {{{"SLURM_PROCID", "1"},
        {"SLURM_NTASKS", "2"},
        {"SLURM_STEP_ID", "0"},
        {"SLURM_RESTART_COUNT", "2"},
        {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}},
       1,
       2,
       0,
       "10.0.0.1",
       "Slurm SLURM_STEP_ID=0 SLURM_RESTART_COUNT=2"},
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}, 0, 1, 0, "", ""},  // the batch script itself, not a
                                                                         // step of it
      {{{"OMPI_COMM_WORLD_RANK", "1"},
        {"OMPI_COMM_WORLD_SIZE", "3"},
        {"MASTER_ADDR", "n1"},
        {"PMIX_NAMESPACE", "7"},
        {"SLURM_PROCID", "0"},
        {"SLURM_NTASKS", "1"},
        {"SLURM_STEP_ID", "0"}},
       1,
       3,
       0,
       "n1",
       "Open MPI PMIX_NAMESPACE=7"},  // mpirun inside a Slurm job
  };
  for (const auto& expected : cases) {
    const auto found = membership(with(expected.variables));
    const std::string which = expected.variables.begin()->first + " " + expected.address;
    EXPECT_EQ(found.rank, expected.rank) << which;
    EXPECT_EQ(found.size, expected.size) << which;
    EXPECT_EQ(found.local_rank, expected.local_rank) << which;
    EXPECT_EQ(found.address, expected.address) << which;
    EXPECT_EQ(found.launch, expected.launch) << which;
  }
}

TEST(Membership, RefusesWhatMakesNoSenseAndNamesTheVariable) {
  const Variables whole{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "2000"}};
  struct Case {
    std::string name, value, expected;
  };
  const Case cases[] = {{"WORLD_SIZE", "", "RANK is set but WORLD_SIZE is not"},
                        {"RANK", "", "WORLD_SIZE is set but RANK is not"},
                        {"MASTER_ADDR", "", "MASTER_ADDR is not set"},
                        {"MASTER_PORT", "", "set CVF_LAUNCH_ID to the same new text for every rank"},
                        {"RANK", "2", "RANK = 2 must be between 0 and 1"},
                        {"RANK", "-1", "RANK = -1 must be between 0 and 1"},
                        {"RANK", "one", "RANK = 'one' is not a whole number"},
                        {"WORLD_SIZE", "0", "WORLD_SIZE = 0 must be between 1"}};
  for (const auto& bad : cases) {
    auto variables = whole;
    variables[bad.name] = bad.value;
    const auto sentence = sentence_of<UsageError>([&] { membership(with(variables)); });
    EXPECT_NE(sentence.find(bad.expected), std::string::npos) << sentence;
  }
}

TEST(Membership, TakesTheFirstNodeOfASlurmList) {
  EXPECT_EQ(first_host("node7"), "node7");
  EXPECT_EQ(first_host("a1,b2"), "a1");
  EXPECT_EQ(first_host("node[03-07,9],other"), "node03");
  EXPECT_EQ(first_host("rack[2,5]-ib,other"), "rack2-ib");
  EXPECT_NE(sentence_of<UsageError>([] { first_host("node[3-4"); }).find("no closing bracket"),
            std::string::npos);
}

TEST(LocalRanks, AreRefusedInsideATeamThatExists) {
  const auto torchrun =
      with({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}});
  const auto sentence = sentence_of<UsageError>([&] { run_local_ranks(2, torchrun); });
  EXPECT_NE(sentence.find("torchrun has already made this process rank 0 of 2"), std::string::npos)
      << sentence;
  EXPECT_NE(sentence_of<UsageError>([] { run_local_ranks(0, with({})); }).find("positive"),
            std::string::npos);
  EXPECT_FALSE(run_local_ranks(1, with({})));
}

}  // namespace
}  // namespace cvf::train

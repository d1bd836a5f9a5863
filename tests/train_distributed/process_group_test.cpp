// Teams of real processes on this machine, and the group of one.
#include "train/distributed/process_group.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "support/group_tensors.hpp"
#include "support/program.hpp"

namespace cvf::train {
namespace {

using testing_support::Program;
using testing_support::Scratch;
using testing_support::tensors_of_rank;
using torch::Tensor;

class Ranks {
 public:
  Ranks(int ranks, const std::string& what)
      : ranks_(ranks),
        program_(scratch_, {std::to_string(ranks), what, scratch_.path("")}, CVF_RANK_PROGRAM) {}

  testing_support::Ran wait() { return program_.wait(); }
  std::string said(int rank, const std::string& what = "rank") const {
    return files::read_whole(scratch_.path(what + std::to_string(rank)));
  }
  bool has(const std::string& name) const { return std::filesystem::exists(scratch_.path(name)); }
  void send(int signal) const { program_.send(signal); }

  /// What every rank left, which must be the same.
  std::string agreed(const std::string& what) const {
    for (int rank = 1; rank < ranks_; ++rank) EXPECT_EQ(said(0, what), said(rank, what)) << what << rank;
    return said(0, what);
  }

 private:
  int ranks_;
  Scratch scratch_;
  Program program_;
};

// The bytes that a rank left, laid over the shapes of its tensors.
std::vector<Tensor> parse(const std::string& bytes) {
  std::vector<Tensor> out;
  std::size_t at = 0;
  for (const auto& like : tensors_of_rank(0)) {
    if (!like.defined()) continue;
    auto t = torch::empty(like.sizes(), like.options());
    std::memcpy(t.data_ptr(), bytes.data() + at, t.nbytes());
    at += t.nbytes();
    out.push_back(t);
  }
  EXPECT_EQ(at, bytes.size());
  return out;
}

std::vector<Tensor> sequential_mean(int ranks) {
  std::vector<Tensor> out;
  for (int rank = 0; rank < ranks; ++rank) {
    std::size_t next = 0;
    for (const auto& t : tensors_of_rank(rank)) {
      if (!t.defined()) continue;
      if (rank == 0) out.push_back(torch::zeros(t.sizes(), torch::kDouble));
      out[next++] += t.to(torch::kDouble) / ranks;
    }
  }
  return out;
}

void expect_mean(const std::vector<Tensor>& ours, int ranks) {
  const auto expected = sequential_mean(ranks);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double bound = ours[i].dtype() == torch::kDouble ? 1e-15 : 5e-7;
    EXPECT_LT((ours[i] - expected[i]).abs().max().item<double>(), bound) << ranks << " ranks, tensor " << i;
  }
}

TEST(TeamOfRanks, AveragesBroadcastsAddsAndComparesAndSharesTheThreadsOut) {
  Ranks ranks(2, "work");
  const auto ran = ranks.wait();
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_mean(parse(ranks.agreed("average")), 2);
  const auto received = parse(ranks.agreed("broadcast"));
  std::size_t next = 0;
  for (const auto& t : tensors_of_rank(1)) {
    if (!t.defined()) continue;
    EXPECT_TRUE(torch::equal(received[next++], t));
  }
  EXPECT_EQ(ranks.said(0, "numbers"), "3 0 10 true false threads 2 quiet false");
  EXPECT_EQ(ranks.said(1, "numbers"), "3 0 10 true false threads 2 quiet true");
  EXPECT_EQ(ranks.agreed("differ"),
            "rank 1 has optimizer.learning_rate = 0.02, and rank 0 has 0.01: start every rank with the same "
            "settings and "
            "the same data");
}

TEST(TeamOfRanks, GetsTheSameBitsEverywhereAndAgain) {
  std::string before;
  for (int run = 0; run < 2; ++run) {
    Ranks ranks(3, "work");
    const auto ran = ranks.wait();
    ASSERT_EQ(ran.code, 0) << ran.err;
    const std::string bits = ranks.agreed("average");
    expect_mean(parse(bits), 3);
    EXPECT_TRUE(run == 0 || bits == before) << "the second run differs";
    before = bits;
  }
}

// The ranks would wait for an hour; that they end at all shows that they noticed.
TEST(TeamOfRanks, EndsWhenOneIsKilledAndDoesNotWaitForAnAnswer) {
  Ranks ranks(3, "killed");
  const auto ran = ranks.wait();
  EXPECT_EQ(ran.code, 128 + SIGKILL);
  EXPECT_NE(ran.err.find("cvf: rank 1 of 3 was killed by signal 9 (Killed); the other ranks were ended"),
            std::string::npos)
      << ran.err;
  for (const int rank : {0, 2}) {
    EXPECT_NE(ranks.said(rank).find("lost another rank while averaging"), std::string::npos)
        << ranks.said(rank);
    EXPECT_EQ(ranks.said(rank).find("Timed out"), std::string::npos) << ranks.said(rank);
  }
}

TEST(TeamOfRanks, EndsWithTheExitCodeOfTheFirstThatFails) {
  Ranks ranks(2, "exits");
  const auto ran = ranks.wait();
  EXPECT_EQ(ran.code, static_cast<int>(Exit::numerics));
  EXPECT_NE(ran.err.find("rank 1 of 2 ended with exit code 6"), std::string::npos) << ran.err;
}

TEST(TeamOfRanks, DoesNotWaitForeverForOneThatStopped) {
  Ranks ranks(2, "stops");
  const auto ran = ranks.wait();
  EXPECT_EQ(ran.code, static_cast<int>(Exit::distributed));
  EXPECT_NE(ranks.said(0).find("rank 0 of 2 lost another rank while averaging: Timed out"), std::string::npos)
      << ranks.said(0);
}

// SIGINT, because a rank that it reached twice would end at once and save nothing.
TEST(TeamOfRanks, PassesASignalOnOnceAndWaitsForWhatIsBeingSaved) {
  Ranks ranks(2, "interrupted");
  while (!ranks.has("ready")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ranks.send(SIGINT);
  const auto ran = ranks.wait();
  EXPECT_EQ(ran.code, static_cast<int>(Exit::interrupted)) << ran.err;
  EXPECT_NE(ran.err.find("interrupted; all 2 ranks have stopped"), std::string::npos) << ran.err;
  EXPECT_EQ(ranks.agreed("rank"), "saved");
}

TEST(TeamOfOne, ChangesNothing) {
  ProcessGroup group = ProcessGroup::join("/nowhere", {}, {});
  EXPECT_EQ(group.size(), 1);
  EXPECT_TRUE(group.leads());
  const Tensor weight = torch::randn({5});
  const Tensor before = weight.clone();
  group.average(std::vector{weight});
  group.broadcast(std::vector{weight});
  group.begin_average(std::vector{weight}).finish();
  EXPECT_TRUE(torch::equal(weight, before));
  EXPECT_EQ(group.sum(2.5), 2.5);
  EXPECT_EQ(group.gather(3), std::vector<double>{3});
  EXPECT_TRUE(group.any(true));
  EXPECT_FALSE(group.any(false));
  group.barrier();
  group.check_same({{"seed", "3"}});
}

TEST(TeamOfRanks, ListensToNobodyOnceAllHaveCome) {
  Ranks ranks(3, "listens");
  const auto ran = ranks.wait();
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (int rank = 0; rank < 3; ++rank) {
    std::istringstream listeners(ranks.said(rank, "listeners"));
    for (std::string place; std::getline(listeners, place);) {
      // The gloo of LibTorch 2 listens as long as the group lives: for ranks of one machine at 127.0.0.1.
      EXPECT_TRUE(TORCH_VERSION_MAJOR >= 2 && place.starts_with("0100007F:"))
          << "rank " << rank << ": " << place;
    }
  }
}

TEST(Buckets, AreFilledInOrderAndKeepTypesApart) {
  const std::vector<Tensor> tensors{
      torch::ones(10), Tensor(), torch::ones(10), torch::ones(30), torch::ones(2, torch::kDouble),
      torch::ones(2)};
  std::vector<std::size_t> sizes;
  for (const auto& bucket : buckets(tensors, 80)) sizes.push_back(bucket.members.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1, 1, 1}));
}

TEST(Buckets, GiveBackWhatTheyTook) {
  auto tensors = tensors_of_rank(0);
  const auto expected = tensors_of_rank(0);
  for (auto& bucket : buckets(tensors, 1e6)) {
    bucket.pack();
    bucket.flat.mul_(2);
    bucket.unpack();
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) continue;
    EXPECT_TRUE(torch::equal(tensors[i], 2 * expected[i])) << i;
  }
}

}  // namespace
}  // namespace cvf::train

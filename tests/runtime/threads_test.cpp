// One loaded model and many threads; many threads in one call. The bits are those of one.
#include <thread>

#include "runtime/models.hpp"

namespace cvf::runtime {
namespace {

using test::Pair;

class Threads : public testing::TestWithParam<test::Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Threads, testing::ValuesIn(test::kinds),
                         [](const auto& info) { return std::string(info.param.name); });

struct Went {
  std::vector<float> states;
  std::vector<std::int64_t> evaluations;
  bool operator==(const Went&) const = default;
};

Went go(const Model& model, std::vector<float> states, const Conditions& conditions, std::size_t rows,
        int threads) {
  std::vector<double> dt;
  for (std::size_t i = 0; i < rows; ++i) dt.push_back(0.3 + 0.1 * static_cast<double>(i));
  const auto trace = advance(model, states.data(), rows, dt, conditions, threads);
  Went out{std::move(states), {}};
  for (const auto& counts : trace.outcome.counts) out.evaluations.push_back(counts.evaluations);
  return out;
}

TEST_P(Threads, EightOnOneModelGiveTheBitsOfOne) {
  const Pair pair(GetParam());
  const auto conditions = pair.conditions(4);
  const auto start = test::values_of<float>(pair.states(4).to(torch::kFloat));
  const Went alone = go(*pair.plain, start, conditions, 4, 1);
  std::vector<std::vector<Went>> all(8);
  std::vector<std::thread> threads;
  for (auto& mine : all) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) mine.push_back(go(*pair.plain, start, conditions, 4, 1));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& mine : all) {
    for (const auto& went : mine) EXPECT_TRUE(went == alone);
  }
}

TEST_P(Threads, OfOneCallDoNotChangeTheBits) {
  const Pair pair(GetParam());
  const auto conditions = pair.conditions(5);
  const auto start = test::values_of<float>(pair.states(5).to(torch::kFloat));
  const Went one = go(*pair.plain, start, conditions, 5, 1);
  for (const int threads : {2, 3}) EXPECT_TRUE(go(*pair.plain, start, conditions, 5, threads) == one);
}

TEST_P(Threads, AndBatchMatesDoNotChangeARow) {
  const Pair pair(GetParam());
  auto conditions = pair.conditions(20);
  const auto start = test::values_of<float>(pair.states(20).to(torch::kFloat));
  const std::size_t values = pair.plain->values();
  const Went together = go(*pair.plain, start, conditions, 20, 1);
  Conditions first = conditions;
  if (!first.contexts.empty()) first.contexts.resize(1);
  const Went alone =
      go(*pair.plain, {start.begin(), start.begin() + static_cast<std::ptrdiff_t>(values)}, first, 1, 1);
  EXPECT_TRUE(std::equal(alone.states.begin(), alone.states.end(), together.states.begin()));
  EXPECT_EQ(alone.evaluations[0], together.evaluations[0]);
}

}  // namespace
}  // namespace cvf::runtime

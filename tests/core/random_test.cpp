#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace cvf {
namespace {

// Known answers published with Random123.
TEST(Philox, MatchesKnownAnswers) {
  using Block = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, DependsOnSeedNameAndIndexOnly) {
  RandomStream first(7, "initial", 3), again(7, "initial", 3);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(first.bits(), again.bits());
  std::set<std::uint64_t> heads;
  for (const std::uint64_t seed : {1, 2}) {
    for (const char* name : {"a", "b", "ab", "ba"}) {
      for (const std::uint64_t index : {0, 1}) heads.insert(RandomStream(seed, name, index).bits());
    }
  }
  EXPECT_EQ(heads.size(), 16U);
}

TEST(RandomStream, UniformAndNormalHaveTheirMoments) {
  RandomStream stream(1, "moments");
  constexpr int count = 200000;
  double uniform_sum = 0, normal_sum = 0, normal_square = 0, normal_fourth = 0;
  for (int i = 0; i < count; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform_sum += u;
    const double z = stream.normal();
    normal_sum += z;
    normal_square += z * z;
    normal_fourth += z * z * z * z;
  }
  EXPECT_NEAR(uniform_sum / count, 0.5, 5 * std::sqrt(1.0 / 12 / count));
  EXPECT_NEAR(normal_sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(normal_square / count, 1, 5 * std::sqrt(2.0 / count));
  EXPECT_NEAR(normal_fourth / count, 3, 5 * std::sqrt(96.0 / count));
}

TEST(RandomStream, BelowIsUnbiasedAndInRange) {
  RandomStream stream(5, "below");
  std::array<int, 3> counts{};
  for (int i = 0; i < 30000; ++i) ++counts.at(stream.below(3));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(10000 * 2.0 / 3));
}

TEST(RandomStream, ShuffleIsAPermutationThatMovesThings) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  auto shuffled = items;
  RandomStream(1, "shuffle").shuffle(shuffled);
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

}  // namespace
}  // namespace cvf

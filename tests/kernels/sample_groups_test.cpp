#include <gtest/gtest.h>

#include "kernels/batch.hpp"

namespace cvf::kernels {
namespace {

std::vector<long> sizes_of(const std::vector<SampleGroup>& groups) {
  std::vector<long> out;
  for (const auto& g : groups) out.push_back(g.end - g.begin);
  return out;
}

TEST(SampleGroups, FollowEachOtherAndLeaveOutWhatDoesNotDivide) {
  for (const int threads : {1, 2, 3, 64}) {
    for (const int most : {threads, threads + 1, 4 * threads, 1000}) {
      for (const long batch : {1, 2, 7, 16, 64, 129, 1000}) {
        long next = 0;
        const auto groups = shrinking_groups(batch, threads, most);
        for (const auto& g : groups) {
          EXPECT_EQ(g.begin, next);
          EXPECT_GT(g.end, g.begin);
          next = g.end;
        }
        EXPECT_EQ(next, batch / threads * threads) << batch << " samples, " << threads << " threads";
        EXPECT_LE(groups.size(), static_cast<std::size_t>(most));
        EXPECT_LE(groups.size(), static_cast<std::size_t>(group_limit(threads)));
      }
    }
  }
}

TEST(SampleGroups, Shrink) {
  EXPECT_EQ(sizes_of(shrinking_groups(64, 2, 8)), (std::vector<long>{24, 24, 6, 4, 3, 3}));
  EXPECT_EQ(sizes_of(shrinking_groups(33, 2, 8)), (std::vector<long>{12, 12, 3, 2, 2, 1}));
  EXPECT_EQ(sizes_of(shrinking_groups(64, 1, 8)), (std::vector<long>{64})) << "nobody to wait for";
  EXPECT_EQ(sizes_of(shrinking_groups(64, 2, 2)), (std::vector<long>{32, 32})) << "no room for more";
  EXPECT_EQ(sizes_of(single_samples(5, 2)), (std::vector<long>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace cvf::kernels

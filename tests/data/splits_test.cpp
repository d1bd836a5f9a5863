#include "data/splits.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "data/downsampling.hpp"
#include "data/ranges.hpp"

namespace cvf::data {
namespace {

using Indices = std::vector<std::size_t>;

template <class Work>
std::string complaint_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Ranges, ReadWhatTheyWrite) {
  EXPECT_EQ(parse_ranges("0:3,7", 10, "s"), (Indices{0, 1, 2, 7}));
  EXPECT_EQ(parse_ranges("8:", 10, "s"), (Indices{8, 9}));
  EXPECT_EQ(write_ranges({0, 1, 2, 7, 9, 8}), "0:3,7,9,8");
  EXPECT_EQ(parse_ranges(write_ranges({5, 3, 4}), 10, "s"), (Indices{5, 3, 4}));
}

TEST(Ranges, NameWhatIsWrong) {
  EXPECT_EQ(complaint_of([] { parse_ranges("3:11", 10, "--samples"); }),
            "--samples: 11 is outside 0..9 (10 in all)");
  EXPECT_EQ(complaint_of([] { parse_ranges("10", 10, "--samples"); }),
            "--samples: 10 is outside 0..9 (10 in all)");
  EXPECT_EQ(complaint_of([] { parse_ranges("3:3", 10, "--samples"); }),
            "--samples: the range 3:3 is empty; write begin:end with begin < end");
  EXPECT_EQ(complaint_of([] { parse_ranges("a", 10, "--samples"); }), "--samples: 'a' is not a whole number");
}

TEST(Splits, DefaultSharesCoverTheFileOnce) {
  const Splits splits = make_splits({}, 1000);
  EXPECT_EQ(splits.train.size(), 800U);
  EXPECT_EQ(splits.validation.front(), 800U);
  EXPECT_EQ(splits.test, parse_ranges("900:1000", 1000, "t"));
}

TEST(Splits, AreSavedAsExplicitLists) {
  const Splits splits = make_splits({}, 30);
  SplitOptions saved = explicit_options(splits);
  EXPECT_EQ(saved.train, "0:24");
  const Splits again = make_splits(saved, 30);
  EXPECT_EQ(again.train, splits.train);
  EXPECT_EQ(again.validation, splits.validation);
  EXPECT_EQ(again.test, splits.test);
}

TEST(Splits, RefuseASampleInTwoLists) {
  EXPECT_EQ(complaint_of([] {
              make_splits({"0:5", "5:7", "4"}, 10);
            }),
            "split: sample 4 is in train and again in test; each sample belongs to one list");
  EXPECT_EQ(complaint_of([] {
              make_splits({"0:11", "", ""}, 10);
            }),
            "split.train: 11 is outside 0..9 (10 in all)");
  EXPECT_EQ(complaint_of([] {
              make_splits({"", "", "", 0.5, 0.5}, 10);
            }),
            "split: validation 5 and test 5 leave none of the 10 samples for training");
}

TEST(Downsampling, EvenKeepsEveryKthFrame) {
  EXPECT_EQ(kept_frames({Downsampling::even, 2}, 7, 1, 0), (Indices{0, 2, 4, 6}));
  EXPECT_EQ(kept_frames({Downsampling::even, 1}, 3, 1, 0), (Indices{0, 1, 2}));
}

TEST(Downsampling, DynamicKeepsARandomShareFixedForEachSample) {
  const DownsamplingOptions options{Downsampling::dynamic, 4};
  const Indices kept = kept_frames(options, 101, 1, 5);
  EXPECT_EQ(kept.size(), 26U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
  EXPECT_EQ(kept_frames(options, 101, 1, 5), kept);
  EXPECT_NE(kept_frames(options, 101, 1, 6), kept);
  EXPECT_NE(kept_frames(options, 101, 2, 5), kept);
  EXPECT_EQ(kept_frames({Downsampling::dynamic, 100}, 5, 1, 0).size(), 2U);
}

}  // namespace
}  // namespace cvf::data

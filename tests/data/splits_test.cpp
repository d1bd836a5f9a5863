#include "data/splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/errors.hpp"
#include "support/memory_source.hpp"

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

// Sample n has omega = n / 10.
class Rated : public testing_support::MemorySource {
 public:
  explicit Rated(std::size_t samples)
      : MemorySource(std::vector<std::size_t>(samples, 2), 1, 1, {"x"},
                     [](std::size_t, std::size_t, std::size_t) { return 0.0F; }) {}
  std::map<std::string, double> scalars(std::size_t sample) const override {
    return {{"omega", static_cast<double>(sample) / 10}};
  }
};

TEST(Splits, HeldOutValuesAreInTestSamplesOnly) {
  SplitOptions options;
  options.hold_out = {"omega", 0.5, 0.7};
  const Splits splits = make_splits(options, Rated(20));
  EXPECT_EQ(splits.train, (Indices{0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(splits.validation, (Indices{16, 17}));
  EXPECT_EQ(splits.test, (Indices{5, 6, 7, 18, 19}));
  options = {"0:6", "6,9", "10:12"};
  options.hold_out = {"omega", 0.5, 0.7};
  const Splits listed = make_splits(options, Rated(20));
  EXPECT_EQ(listed.train, (Indices{0, 1, 2, 3, 4}));
  EXPECT_EQ(listed.validation, Indices{9});
  EXPECT_EQ(listed.test, (Indices{5, 6, 10, 11})) << "7 is in no list and stays out";
  const Splits again = make_splits(explicit_options(listed, options.hold_out), Rated(20));
  EXPECT_EQ(again.train, listed.train);
  EXPECT_EQ(again.test, listed.test);
}

TEST(Splits, HoldingOutSaysWhatIsWrong) {
  const auto complaint = [](const HoldOut& held) {
    return complaint_of([&] {
      SplitOptions options;
      options.hold_out = held;
      make_splits(options, Rated(20));
    });
  };
  EXPECT_EQ(complaint({"omga", 0, 1}),
            "split.hold_out.parameter: memory has no 'omga' (did you mean 'omega'?)");
  EXPECT_EQ(complaint({"omega", 2, 1}), "split.hold_out: from 2 to 1 is no range; from must not exceed to");
  EXPECT_EQ(complaint({"omega", 5, 6}),
            "split.hold_out: no sample of the lists has omega from 5 to 6; those of memory go from 0 to 1.9");
}

TEST(Splits, AreReadFromARunFile) {
  SplitOptions options;
  config::Document::from_text("hold_out = {parameter = 'omega', from = 2.0, to = 3.0}", "test")
      .read([&](config::Section& s) { options.describe(s); });
  EXPECT_EQ(options.hold_out.parameter, "omega");
  EXPECT_EQ(options.hold_out.from, 2);
  EXPECT_EQ(options.hold_out.to, 3);
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

// Layout A and our own extensions of it: ragged samples, vector states, named axes and channels, scalars.
#include <cmath>

#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::File;
using testing_support::Frames;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::write_counting;
using testing_support::write_list;
using Names = std::vector<std::string>;

TEST(Groups, AreSortedByNumberAndMayDifferInLengthAndTimes) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const auto& [key, frames] : {std::pair{"10", 3}, {"9", 2}, {"100", 4}}) {
    auto group = root.create_group(key);
    write_counting(group, "data", {static_cast<std::size_t>(frames), 2, 3, 1});
    std::vector<double> times;
    for (int i = 0; i < frames; ++i) times.push_back(frames * 0.5 * i * i + i);
    write_list(group.create_group("grid"), "t", times);
  }
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().frames, (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(source->times(0), (std::vector<double>{0, 2}));
  EXPECT_EQ(source->times(2), (std::vector<double>{0, 3, 10, 21}));
  EXPECT_EQ(Frames(*source, 2).at(3, 1, 2, 0), 23.0F);
}

TEST(Groups, ReadVectorStates) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0000"), "data", {5, 3}).set("channels", "x, y,z");
  root.set("boundary", "none");
  const auto source = open(scratch.path("a.h5"), {.dt = 0.5});
  const Description& about = source->description();
  EXPECT_EQ(about.channels(), (Names{"x", "y", "z"}));
  EXPECT_EQ(about.frame_size(), 3u);
  EXPECT_EQ(about.state.boundary(), "none");
  EXPECT_EQ(source->times(0).back(), 2.0);
  EXPECT_EQ(Frames(*source, 0, 4, 1).values(), (std::vector<float>{12, 13, 14}));
}

TEST(Groups, SwapAxesWhenTheCoordinatesShowThatXComesFirst) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  auto group = root.create_group("0000");
  write_counting(group, "data", {1, 3, 2, 1});  // x has 3 points, y has 2
  auto grid = group.create_group("grid");
  write_list(grid, "x", {0, 1, 2});
  write_list(grid, "y", {0, 1});
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().axes, "t,x,y,c");
  EXPECT_EQ(Frames(*source, 0).values(), (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST(Groups, BelieveTheAxesAttributeAndTheUserMoreThanThat) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0000"), "data", {1, 2, 2, 1}).set("axes", "t,x,y,c");
  EXPECT_EQ(Frames(*open(scratch.path("a.h5")), 0).values(), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_EQ(Frames(*open(scratch.path("a.h5"), {.axes = "t,y,x,c"}), 0).values(),
            (std::vector<float>{0, 1, 2, 3}));
}

TEST(Groups, DeliverScalarsOfEachSample) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const char* key : {"0", "1"}) {
    auto group = root.create_group(key);
    write_counting(group, "data", {2, 4, 1});
    group.create_group("scalars").write_number("nu", key[0] == '0' ? 0.25 : 0.125);
  }
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->scalars(0).at("nu"), 0.25);
  EXPECT_EQ(source->scalars(1).at("nu"), 0.125);
  EXPECT_EQ(source->description().state.size_along("y"), 1u);
  EXPECT_EQ(source->description().state.size_along("x"), 4u);
}

TEST(Groups, FindTheConfigThatOldWritersPutIntoTheRoot) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0000"), "data", {2, 4, 1});
  root.set("0000/config", "seed: 3");
  EXPECT_EQ(open(scratch.path("a.h5"))->description().attributes.at("config"), "seed: 3");
}

TEST(Groups, RefuseASampleWithOtherAxes) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0"), "data", {2, 4, 4, 1});
  write_counting(root.create_group("2"), "data", {2, 4, 1});
  const auto rank = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(rank.find("a.h5: '/2/data': has 3 axes"), std::string::npos) << rank;
}

TEST(Groups, RefuseASampleOfAnotherWidthBeforeReadingIt) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0"), "data", {2, 4, 4, 1});
  write_counting(root.create_group("1"), "data", {2, 4, 5, 1});
  const auto width = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(width.find("a.h5: '/1/data': has 5 entries along x"), std::string::npos) << width;
}

/// A file of two samples, of which `change` makes the second different.
template <class Change>
void write_two(const Scratch& scratch, const Change& change) {
  auto root = File::create(scratch.path("a.h5")).root();
  for (const bool other : {false, true}) {
    auto group = root.create_group(other ? "0001" : "0000");
    auto data = write_counting(group, "data", {3, 2, 2, 2});
    data.set("channels", "h,v");
    data.set("axes", "t,y,x,c");
    change(other, data, group.create_group("grid"));
  }
}

template <class Change>
std::string sentence_for_two(const Change& change) {
  const Scratch scratch;
  write_two(scratch, change);
  return sentence_of([&] { open(scratch.path("a.h5")); });
}

TEST(Groups, RefuseASampleWithoutTimesAmongOthersThatHaveThem) {
  for (const bool other_has_them : {false, true}) {
    const auto sentence = sentence_for_two([&](bool other, auto&, const auto& grid) {
      if (other == other_has_them) write_list(grid, "t", {0, 0.1, 0.2});
    });
    const std::string wanted = other_has_them ? "a.h5: '/0001': has a grid/t, but the first sample has none"
                                              : "a.h5: '/0001': has no grid/t, but the first sample has one";
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  }
}

TEST(Groups, RefuseASampleWithOtherChannelsAxesOrSpacing) {
  const auto expect = [](const std::string& sentence, const char* wanted) {
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  };
  expect(sentence_for_two([](bool other, auto& data, const auto&) {
           if (other) data.set("channels", "v,h");
         }),
         "a.h5: '/0001/data': attribute 'channels' is 'v,h', but 'h,v' in the first sample");
  expect(sentence_for_two([](bool other, auto& data, const auto&) {
           if (other) data.set("axes", "t,x,y,c");
         }),
         "a.h5: '/0001/data': attribute 'axes' is 't,x,y,c', but 't,y,x,c' in the first sample");
  expect(sentence_for_two([](bool other, auto&, const auto& grid) {
           write_list(grid, "x", other ? std::vector<double>{0, 0.2} : std::vector<double>{0, 0.1});
         }),
         "a.h5: '/0001': its grid/x is not that of the first sample");
  expect(sentence_for_two([](bool other, auto&, const auto& grid) {
           if (!other) write_list(grid, "y", {0, 0.1});
         }),
         "a.h5: '/0001': its grid/y is not that of the first sample");
}

TEST(Groups, TakeCoordinatesThatDifferByRounding) {
  const Scratch scratch;
  write_two(scratch, [](bool other, auto&, const auto& grid) {
    write_list(grid, "x", {0, other ? 0.1 + 1e-9 : 0.1});
  });
  EXPECT_EQ(open(scratch.path("a.h5"))->description().samples, 2U);
}

TEST(Groups, RefuseCoordinatesThatAreNotFinite) {
  const auto sentence = sentence_for_two([](bool, auto&, const auto& grid) {
    write_list(grid, "x", {0, NAN});
  });
  EXPECT_NE(sentence.find("a.h5: coordinate 1 of axis x is nan"), std::string::npos) << sentence;
}

TEST(Groups, KeepReadingWhenThereAreMoreSamplesThanOpenDatasets) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (int key = 0; key < 1100; ++key) {
    auto group = root.create_group(std::to_string(key));
    const float value = static_cast<float>(key);
    group.create_dataset("data", {1, 1}).write(hdf5::Extents{0, 0}, hdf5::Extents{1, 1}, &value);
  }
  const auto source = open(scratch.path("a.h5"));
  for (const std::size_t sample : {0, 1099, 5, 0}) {
    EXPECT_EQ(Frames(*source, sample).values(), std::vector<float>{static_cast<float>(sample)});
  }
  for (std::size_t sample = 0; sample < 1100; ++sample) Frames(*source, sample);
  EXPECT_EQ(Frames(*source, 3).values(), std::vector<float>{3});
}

TEST(Groups, RefuseTimesThatDoNotIncreaseOrAreNotNumbers) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const char* key : {"0", "1", "2"}) {
    auto group = root.create_group(key);
    write_counting(group, "data", {3, 1});
    write_list(group.create_group("grid"), "t",
               key[0] == '0'   ? std::vector<double>{0, 1, 2}
               : key[0] == '1' ? std::vector<double>{0, 1, 1}
                               : std::vector<double>{0, NAN, 2});
  }
  const auto source = open(scratch.path("a.h5"));
  EXPECT_NE(sentence_of([&] { source->times(1); }).find("a.h5: '/1/grid/t': times must increase"),
            std::string::npos);
  EXPECT_NE(sentence_of([&] { source->times(2); }).find("a.h5: '/2/grid/t': time 1 is nan"),
            std::string::npos);
}

TEST(Groups, NameSampleFrameAndChannelOfAValueThatIsNotFinite) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  auto data = write_counting(root.create_group("0"), "data", {4, 2});
  const float broken = NAN;
  data.write(hdf5::Extents{2, 1}, hdf5::Extents{1, 1}, &broken);
  const auto source = open(scratch.path("a.h5"));
  const Frames frames(*source, 0, 1, 3);
  EXPECT_TRUE(std::isnan(frames.at(1, 0, 0, 1)));
  const auto sentence = sentence_of([&] { require_finite(*source, 0, 1, frames.values()); });
  EXPECT_NE(sentence.find("a.h5: sample 0, frame 2, channel v holds nan"), std::string::npos) << sentence;
}

TEST(Groups, RefuseRequestsOutsideTheSample) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0"), "data", {4, 2});
  const auto source = open(scratch.path("a.h5"));
  std::vector<float> room(4);
  EXPECT_NE(sentence_of([&] { source->read(0, 3, 2, room); }).find("frames 3 to 5"), std::string::npos);
  EXPECT_NE(sentence_of([&] { source->read(1, 0, 2, room); }).find("sample 1"), std::string::npos);
  EXPECT_NE(sentence_of([&] { source->read(0, 0, 1, room); }).find("room for 4"), std::string::npos);
}

}  // namespace
}  // namespace cvf::data

// Coordinates that descend in the file: the axis is turned round, and everything on it.
#include "core/text.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::counting;
using testing_support::Frames;
using testing_support::npy;
using testing_support::raw;
using testing_support::Scratch;
using testing_support::write_file;
using testing_support::zip;
using Members = std::vector<std::pair<std::string, std::string>>;

class AscendingTest : public testing::Test {
 protected:
  // Two samples of 3 frames on 2 x 4 cells with 2 channels, each value its place in the file.
  std::unique_ptr<Source> open_with(Members more) {
    more.emplace_back("states.npy", npy("<f4", "(2, 3, 2, 4, 2)", counting<float>(96)));
    write_file(scratch_.path("a.npz"), zip(more, false));
    return open(scratch_.path("a.npz"), {"", "n,t,y,x,c", 1});
  }
  static float stored(std::size_t n, std::size_t t, std::size_t y, std::size_t x, std::size_t c) {
    return static_cast<float>((((n * 3 + t) * 2 + y) * 4 + x) * 2 + c);
  }
  Scratch scratch_;
  const std::pair<std::string, std::string> down_x_{"x.npy",
                                                    npy("<f8", "(4,)", raw<double>({3, 2.5, 2, 1.5}))},
      down_y_{"y.npy", npy("<f8", "(2,)", raw<double>({0.5, -0.5}))},
      up_y_{"y.npy", npy("<f8", "(2,)", raw<double>({-0.5, 0.5}))};
};

TEST_F(AscendingTest, TurnsTheAxesWhoseCoordinatesDescendAndNoOther) {
  for (const bool both : {false, true}) {
    const auto source = open_with({down_x_, both ? down_y_ : up_y_});
    const auto& state = source->description().state;
    EXPECT_EQ(state.coordinates("x"), (std::vector<double>{1.5, 2, 2.5, 3}));
    EXPECT_EQ(state.coordinates("y"), (std::vector<double>{-0.5, 0.5}));
    const Frames frames(*source, 1, 1, 2);
    for (std::size_t t = 0; t < 2; ++t) {
      for (std::size_t y = 0; y < 2; ++y) {
        for (std::size_t x = 0; x < 4; ++x) {
          for (std::size_t c = 0; c < 2; ++c)
            EXPECT_EQ(frames.at(t, y, x, c), stored(1, 1 + t, both ? 1 - y : y, 3 - x, c));
        }
      }
    }
  }
}

TEST_F(AscendingTest, NamesWhatItTurned) {
  const auto notes = text::join(open_with({down_x_, up_y_})->description().notes);
  EXPECT_NE(notes.find("x runs from 3 down to 1.5 in the file: its order is turned, here and in forecasts"),
            std::string::npos)
      << notes;
  EXPECT_EQ(notes.find("y runs"), std::string::npos) << notes;
}

TEST_F(AscendingTest, TurnsStaticFieldsControlFieldsAndSides) {
  const auto text = [](const std::string& ascii) {
    std::string wide;
    for (const char letter : ascii) wide += std::string{letter, 0, 0, 0};
    return npy("<U" + std::to_string(ascii.size()), "()", wide);
  };
  const auto source = open_with({down_x_,
                                 {"static.hill.npy", npy("<f4", "(2, 2, 4)", counting<float>(16))},
                                 {"control.push.npy", npy("<f4", "(2, 3)", counting<float>(6))},
                                 {"control_field.wind.npy", npy("<f4", "(2, 3, 2, 4)", counting<float>(48))},
                                 {"boundary.npy", text("y: periodic, x: wall/outflow")}});
  EXPECT_EQ(source->static_field(1, "hill"), (std::vector<float>{11, 10, 9, 8, 15, 14, 13, 12}));
  EXPECT_EQ(source->control(1, "push"), (std::vector<float>{3, 4, 5}));
  const auto wind = source->control(1, "wind");
  ASSERT_EQ(wind.size(), 24U);
  EXPECT_EQ(std::vector<float>(wind.begin() + 8, wind.begin() + 12), (std::vector<float>{35, 34, 33, 32}));
  EXPECT_EQ(source->description().state.boundary(), "y: periodic, x: outflow/wall");
}

TEST_F(AscendingTest, LeavesCoordinatesThatAreNoOrderAsTheyAre) {
  for (const auto& x : {std::vector<double>{3, 2, 2, 1}, {3, 1, 2, 0}, {1, 2, 3, 4}}) {
    const auto source = open_with({{"x.npy", npy("<f8", "(4,)", raw(x))}});
    EXPECT_EQ(source->description().state.coordinates("x"), x);
    EXPECT_EQ(Frames(*source, 0).at(0, 0, 1, 1), stored(0, 0, 0, 1, 1));
  }
}

}  // namespace
}  // namespace cvf::data

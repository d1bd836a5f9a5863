// States on three axes: read in every layout that has them, audited, averaged and converted.
#include <fstream>
#include <numeric>

#include "data/audit.hpp"
#include "data/convert.hpp"
#include "data/source.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::File;
using testing_support::has;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::set_letters;
using testing_support::set_varying;
using testing_support::write_counting;
using testing_support::write_list;
using Names = std::vector<std::string>;

std::vector<float> frame_of(const Source& source, std::size_t sample, std::size_t frame) {
  std::vector<float> out(source.description().frame_size());
  source.read(sample, frame, 1, out);
  return out;
}

// [n,t,x,y,z], counting: value = (((n*3 + t)*2 + x)*4 + y)*5 + z
TEST(ThreeAxes, OfPdeBenchFieldsAreReadSlowestFirst) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const char* name : {"density", "pressure", "Vx", "Vy", "Vz"})
    write_counting(root, name, {2, 3, 2, 4, 5});
  write_list(root, "z-coordinate", {0, 1, 2, 3, 4, 5});
  const auto source = open(scratch.path("a.h5"));
  const auto& about = source->description();
  EXPECT_EQ(about.channels(), (Names{"density", "pressure", "Vx", "Vy", "Vz"}));
  EXPECT_EQ(about.state.grid_text(), "5 x 4 x 2 (z x y x x)");
  EXPECT_EQ(about.state.coordinates("z"), (std::vector<double>{0, 1, 2, 3, 4})) << "one entry too long";
  const auto frame = frame_of(*source, 1, 2);
  const auto stored = [](std::size_t x, std::size_t y, std::size_t z) {
    return static_cast<float>((((1 * 3 + 2) * 2 + x) * 4 + y) * 5 + z);
  };
  for (std::size_t z = 0; z < 5; ++z) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 2; ++x)
        ASSERT_EQ(frame[((z * 4 + y) * 2 + x) * 5 + 3], stored(x, y, z)) << z << y << x;
    }
  }
}

// velocity [n,t,x,y,z,c], counting, and a floor that knows x and y only.
TEST(ThreeAxes, OfTheWellAreReadAuditedAndConverted) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    root.set("n_trajectories", std::int64_t{2});
    auto dimensions = root.create_group("dimensions");
    set_letters(dimensions, "spatial_dims", "xyz");
    write_list(dimensions, "time", {0, 1, 2});
    write_list(dimensions, "x", {0, 1});
    write_list(dimensions, "y", {0, 1, 2, 3});
    write_list(dimensions, "z", {0, 0.5, 1, 1.5, 2});
    set_varying(write_counting(root.create_group("t0_fields"), "floor", {2, 4}), 0, 0, {1, 1, 0});
    set_varying(write_counting(root.create_group("t1_fields"), "velocity", {2, 3, 2, 4, 5, 3}), 1, 1,
                {1, 1, 1});
    auto walls = root.create_group("boundary_conditions").create_group("bottom");
    walls.set("bc_type", "wall");
    set_letters(walls, "associated_dims", "z");
  }
  const auto source = open(scratch.path("a.h5"));
  const auto& about = source->description();
  EXPECT_EQ(about.channels(), (Names{"floor", "velocity_x", "velocity_y", "velocity_z"}));
  EXPECT_EQ(about.state.grid_text(), "5 x 4 x 2 (z x y x x)");
  EXPECT_EQ(about.state.coordinates("z"), (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_PRED2(has, about.state.boundary(), "z: wall");
  const auto frame = frame_of(*source, 1, 2);
  for (std::size_t z = 0; z < 5; ++z) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 2; ++x) {
        const auto cell = ((z * 4 + y) * 2 + x) * 4, stored = ((((1 * 3 + 2) * 2 + x) * 4 + y) * 5 + z) * 3;
        ASSERT_EQ(frame[cell], static_cast<float>(x * 4 + y)) << "the floor: " << z << y << x;
        for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(frame[cell + 1 + c], static_cast<float>(stored + c));
      }
    }
  }
  EXPECT_EQ(audit(*source, {{0}, {}, {1}}).ranges.size(), 4U);
  convert(*source, scratch.path("b.h5"));
  const auto again = open(scratch.path("b.h5"));
  EXPECT_EQ(again->description().state.axes, about.state.axes);
  EXPECT_EQ(frame_of(*again, 1, 2), frame);
}

TEST(ThreeAxes, OfAPlainArrayAreThoseThatTheUserNames) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "u", {2, 3, 2, 4, 5});
  OpenOptions options;
  options.dataset = "u";
  options.axes = "n,t,z,y,x";
  EXPECT_EQ(open(scratch.path("a.h5"), options)->description().state.grid_text(), "2 x 4 x 5 (z x y x x)");
  options.axes = "n,t,z,x,c";
  EXPECT_PRED2(has, sentence_of([&] { open(scratch.path("a.h5"), options); }), "have z but no y");
}

class Box : public testing::Test {
 protected:
  Box() {
    auto file = File::create(scratch_.path("a.h5"));
    auto root = file.root();
    root.set("boundary", "z: wall, y: periodic, x: periodic");
    for (const char* key : {"0000", "0001"}) {
      auto group = root.create_group(key);
      auto data = group.create_dataset("data", {3, 2, 4, 6, 2});
      std::vector<double> values(data.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i * (key[3] == '1' ? 3 : 1) % 101);
      data.write(hdf5::Extents(5, 0), data.extents(), values.data());
      write_list(group.create_group("grid"), "z", {0.5, 1.5});
      write_counting(group.create_group("static"), "mask", {2, 4, 6});
    }
    file.close();
    source_ = open(scratch_.path("a.h5"));
  }
  void expect_same(const Source& again) const {
    EXPECT_EQ(again.description().state, source_->description().state);
    for (const std::size_t sample : {0U, 1U}) {
      for (const std::size_t frame : {0U, 2U})
        EXPECT_EQ(frame_of(again, sample, frame), frame_of(*source_, sample, frame));
      EXPECT_EQ(again.static_field(sample, "mask"), source_->static_field(sample, "mask"));
    }
  }
  Scratch scratch_;
  std::shared_ptr<const Source> source_;
};

TEST_F(Box, IsDescribedByItsGroups) {
  const auto& state = source_->description().state;
  EXPECT_EQ(source_->description().axes, "t,z,y,x,c");
  EXPECT_EQ(state.grid_text(), "2 x 4 x 6 (z x y x x)");
  EXPECT_EQ(state.boundary(), "z: wall, y: periodic, x: periodic");
  EXPECT_EQ(source_->static_field(1, "mask")[47], 47.0F);
}

TEST_F(Box, IsAudited) {
  const auto found = audit(*source_, {{0}, {}, {1}});
  EXPECT_EQ(found.ranges.size(), 2U);
  EXPECT_EQ(found.ranges[0].low, 0);
}

TEST_F(Box, IsTheSameAfterConversion) {
  convert(*source_, scratch_.path("b.h5"));
  expect_same(*open(scratch_.path("b.h5")));
  convert_to_npz(*source_, scratch_.path("b.npz"));
  expect_same(*open(scratch_.path("b.npz")));
}

TEST_F(Box, IsAveragedAlongAllThree) {
  const auto coarse = averaged(source_, 2);
  EXPECT_EQ(coarse->description().state.grid_text(), "2 x 3 (y x x)") << "one cell is left along z";
  const auto fine = frame_of(*source_, 1, 1), mean = frame_of(*coarse, 1, 1);
  double sum = 0;  // of the block y = 1, x = 2, channel 1
  for (std::size_t z = 0; z < 2; ++z) {
    for (std::size_t y = 2; y < 4; ++y) {
      for (std::size_t x = 4; x < 6; ++x) sum += fine[((z * 4 + y) * 6 + x) * 2 + 1];
    }
  }
  EXPECT_FLOAT_EQ(mean[(1 * 3 + 2) * 2 + 1], static_cast<float>(sum / 8));
  EXPECT_PRED2(has, sentence_of([&] { averaged(source_, 4); }), "a grid of 2 x 4 x 6 (z x y x x) cannot");
}

}  // namespace
}  // namespace cvf::data

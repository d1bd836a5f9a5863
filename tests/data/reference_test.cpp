// Files written by other programs (h5py, PDEBench, The Well's and PDEArena's layouts) read to the values that
// h5py reads from them.
#include <cmath>

#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::Frames;
using Names = std::vector<std::string>;

struct Moments {
  double least = 1e30, most = -1e30, mean = 0, deviation = 0;
};

Moments moments(const Frames& frames, std::size_t channel) {
  Moments found;
  double squares = 0;
  for (std::size_t y = 0; y < 128; ++y) {
    for (std::size_t x = 0; x < 128; ++x) {
      const double value = frames.at(0, y, x, channel);
      found.least = std::min(found.least, value);
      found.most = std::max(found.most, value);
      found.mean += value / 16384;
      squares += value * value / 16384;
    }
  }
  found.deviation = std::sqrt(squares - found.mean * found.mean);
  return found;
}

void expect_moments(const Moments& found, const Moments& wanted) {
  EXPECT_NEAR(found.least, wanted.least, 1e-6);
  EXPECT_NEAR(found.most, wanted.most, 1e-6);
  EXPECT_NEAR(found.mean, wanted.mean, 1e-8);
  EXPECT_NEAR(found.deviation, wanted.deviation, 1e-8);
}

TEST(PDEBenchGroups, WithLZFChunksHaveTheStatisticsOfTheSimulator) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_groups_lzf.h5");
  const auto source = open(path);
  const Frames zero(*source, 0, 0, 1), one(*source, 1, 0, 1);
  expect_moments(moments(zero, 0), {-4.023159, 3.945550, 0.00579663, 0.99612144});
  expect_moments(moments(zero, 1), {-4.494117, 3.902246, 0.00154124, 0.99940734});
  expect_moments(moments(one, 0), {-3.837862, 3.933555, -0.00970197, 0.99490163});
  expect_moments(moments(one, 1), {-4.030404, 4.406354, -0.00981195, 0.98629772});
}

TEST(PDEBenchGroups, AreDescribed) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_groups_lzf.h5");
  const auto source = open(path);
  const Description& about = source->description();
  EXPECT_EQ(about.layout, "PDEBench groups");
  EXPECT_EQ(about.axes, "t,y,x,c");
  EXPECT_EQ(about.frames, (std::vector<std::size_t>{12, 12}));
  EXPECT_EQ(about.channels(), (Names{"u", "v"}));
  EXPECT_DOUBLE_EQ(about.state.coordinates("x").front(), -0.9921875);
  EXPECT_DOUBLE_EQ(about.state.coordinates("y").back(), 0.9921875);
  EXPECT_NEAR(source->times(1).at(2), 0.1, 1e-7);
  EXPECT_NE(about.attributes.at("config").find("'seed': 0"), std::string::npos);
}

TEST(PDEBenchGroups, ReadTheSameFrameAloneAndAmongOthers) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_groups_lzf.h5");
  const auto source = open(path);
  const Frames all(*source, 0), last(*source, 0, 11, 1);
  EXPECT_EQ(all.at(3, 5, 7, 1), -0.08418146F);
  EXPECT_EQ(all.at(11, 127, 0, 0), 0.26238438F);
  EXPECT_EQ(last.at(0, 127, 0, 0), 0.26238438F);
  EXPECT_EQ(Frames(*source, 1).at(3, 5, 7, 1), -0.11571195F);
}

TEST(PDEBenchFields, AreTransposedToYX) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_fields_cfd.h5");
  const auto source = open(path);
  EXPECT_EQ(source->description().channels(), (Names{"density", "pressure", "Vx", "Vy"}));
  const Frames frames(*source, 2);
  // The file's [2, 4, x = 3, y = 11].
  EXPECT_EQ(frames.at(4, 11, 3, 0), 1.0516464F);
  EXPECT_EQ(frames.at(4, 11, 3, 1), 1.0503118F);
  EXPECT_EQ(frames.at(4, 11, 3, 2), 0.17172097F);
  EXPECT_EQ(frames.at(4, 11, 3, 3), 0.080217935F);
  EXPECT_EQ(Frames(*source, 0, 0, 1).at(0, 0, 15, 3), -0.021719517F);
}

TEST(PDEBenchFields, CutTheTimeThatHasNoFrameAndSaySo) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_fields_cfd.h5");
  const auto source = open(path);
  EXPECT_EQ(source->times(0).size(), 5u);
  ASSERT_EQ(source->description().notes.size(), 1u);
  EXPECT_NE(source->description().notes[0].find("'/t-coordinate' has 6 entries for 5"), std::string::npos);
  EXPECT_EQ(source->description().attributes.at("eta"), "1e-08");
  EXPECT_EQ(source->description().attributes.at("M"), "1");
}

TEST(PDEBenchTensor, IsOneDimensional) {
  CVF_REFERENCE_OR_SKIP(path, "pdebench_tensor_1d.h5");
  const auto source = open(path);
  const Description& about = source->description();
  EXPECT_EQ(about.samples, 3u);
  EXPECT_EQ(about.state.size_along("y"), 1u);
  EXPECT_EQ(about.state.size_along("x"), 32u);
  EXPECT_EQ(Frames(*source, 2).at(5, 0, 31, 0), -1.1022675F);
  EXPECT_EQ(Frames(*source, 1).at(2, 0, 3, 0), -0.11944133F);
  EXPECT_EQ(source->times(0).size(), 6u);
}

TEST(TheWell, NamesComponentsAndRepeatsConstantFields) {
  CVF_REFERENCE_OR_SKIP(path, "the_well.h5");
  const auto source = open(path);
  const Description& about = source->description();
  EXPECT_EQ(about.channels(), (Names{"pressure", "mask", "velocity_x", "velocity_y"}));
  EXPECT_EQ(about.state.size_along("x"), 16u);
  EXPECT_EQ(about.state.size_along("y"), 24u);
  const Frames frames(*source, 1);
  EXPECT_EQ(frames.at(5, 20, 3, 0), -0.19022435F);
  EXPECT_EQ(frames.at(5, 20, 3, 1), -0.30743235F);
  EXPECT_EQ(frames.at(0, 20, 3, 1), -0.30743235F);
  EXPECT_EQ(frames.at(5, 20, 3, 2), -0.21461633F);
  EXPECT_EQ(frames.at(5, 20, 3, 3), 0.25819257F);
}

TEST(TheWell, TellsBoundaryTimesAndScalars) {
  CVF_REFERENCE_OR_SKIP(path, "the_well.h5");
  const auto source = open(path);
  EXPECT_EQ(source->description().state.boundary(), "y: unknown, x: periodic");  // the file names x alone
  EXPECT_NEAR(source->times(1).at(3), 0.6, 1e-6);
  EXPECT_EQ(source->scalars(1).at("Re"), 100.0);
  EXPECT_EQ(source->description().state.names(Role::parameter), Names{"Re"});
  EXPECT_EQ(source->static_field(1, "mask").at(20 * 16 + 3), -0.30743235F);
  EXPECT_NEAR(source->description().state.coordinates("y").at(20), 1.7391304, 1e-6);
  EXPECT_EQ(source->description().attributes.at("dataset_name"), "toy");
}

TEST(PDEArena, ConvertsDoublesAndTransposes) {
  CVF_REFERENCE_OR_SKIP(path, "pdearena_ns.h5");
  const auto source = open(path);
  EXPECT_EQ(source->description().layout, "PDEArena Navier-Stokes");
  const Frames frames(*source, 1);
  EXPECT_EQ(frames.at(4, 11, 3, 0), -0.057952657F);
  EXPECT_EQ(frames.at(4, 11, 3, 1), 0.39753476F);
  EXPECT_EQ(frames.at(4, 11, 3, 2), 0.618146F);
  EXPECT_DOUBLE_EQ(source->times(1).at(3), 2.25);
  EXPECT_EQ(source->scalars(0).at("buo_y"), 0.5);
  EXPECT_NE(source->description().notes.at(0).find("both end points"), std::string::npos);
}

TEST(PlainHdf5, TrustsAnAttributeThatNamesTheAxes) {
  CVF_REFERENCE_OR_SKIP(path, "dr_128_seed0_tight.h5");
  const auto source = open(path);
  EXPECT_EQ(source->description().layout, "plain HDF5");
  const Frames frames(*source, 0);
  EXPECT_NEAR(frames.at(5, 64, 64, 0), 0.0931446666, 1e-8);
  EXPECT_NEAR(frames.at(5, 127, 0, 0), 0.3934746226, 3e-8);
  EXPECT_EQ(source->times(0).back(), 5.0);
}

TEST(PlainHdf5, AsksForAxesAndThenObeysThem) {
  CVF_REFERENCE_OR_SKIP(path, "sw_128_R0.5.h5");
  const auto sentence = testing_support::sentence_of([&] { open(path); });
  EXPECT_NE(sentence.find("h (5 x 128 x 128)"), std::string::npos) << sentence;
  const auto source = open(path, {.dataset = "h", .axes = "t,x,y"});
  EXPECT_EQ(Frames(*source, 0, 4, 1).at(0, 66, 70, 0), 0.66063917F);  // the file's [x = 70, y = 66]
  EXPECT_EQ(source->description().channels(), (Names{"h"}));
  EXPECT_EQ(source->times(0).at(1), 0.25);
}

}  // namespace
}  // namespace cvf::data

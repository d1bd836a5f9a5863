// What the layouts tell of the sides of a grid.
#include <functional>

#include "core/text.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::File;
using testing_support::Scratch;
using testing_support::set_letters;
using testing_support::write_counting;
using testing_support::write_list;

std::string boundary_of(const std::string& path) {
  return open(path)->description().state.boundary();
}

TEST(Boundary, OfPDEBenchFilesIsThatOfTheirEquation) {
  const Scratch scratch;
  const auto group_file = [&](const std::string& name, const std::string& config) {
    auto root = File::create(scratch.path(name)).root();
    auto sample = root.create_group("0000");
    write_counting(sample, "data", {3, 4, 4, 1});
    if (!config.empty()) sample.set("config", config);
    return scratch.path(name);
  };
  EXPECT_EQ(boundary_of(group_file("a.h5", "sim: {'Du': 0.001, 'Dv': 0.005}")), "zero_flux");
  EXPECT_EQ(boundary_of(group_file("b.h5", "output_path: 2D_rdb_NA_NA\nsim:\n  dam_radius: 0.5")), "outflow");
  EXPECT_EQ(boundary_of(group_file("2D_diff-react_NA_NA.h5", "")), "zero_flux");
  EXPECT_EQ(boundary_of(group_file("2D_rdb_NA_NA.h5", "")), "outflow");
  EXPECT_EQ(boundary_of(group_file("mine.h5", "")), "unknown");
}

TEST(Boundary, OfPDEBenchFlowsIsInTheirNameAndPeriodicInTwoDimensions) {
  const Scratch scratch;
  const auto flow_file = [&](const std::string& name, const hdf5::Extents& extents) {
    auto root = File::create(scratch.path(name)).root();
    for (const char* field : {"density", "pressure", "Vx"}) write_counting(root, field, extents);
    return scratch.path(name);
  };
  EXPECT_EQ(boundary_of(flow_file("1D_CFD_Shock_Eta1.e-8_Zeta1.e-8_trans_Train.hdf5", {2, 3, 8})), "outflow");
  EXPECT_EQ(boundary_of(flow_file("1D_CFD_Rand_Eta0.1_Zeta0.1_periodic_Train.hdf5", {2, 3, 8})), "periodic");
  EXPECT_EQ(boundary_of(flow_file("mine.h5", {2, 3, 8})), "unknown");
  EXPECT_EQ(boundary_of(flow_file("plane.h5", {2, 3, 8, 8})), "periodic");
}

TEST(Boundary, OfPDEBenchTensorsIsKnownByTheirParameter) {
  const Scratch scratch;
  const auto tensor_file = [&](const std::string& name, const std::string& parameter) {
    auto root = File::create(scratch.path(name)).root();
    write_counting(root, "tensor", {2, 3, 8});
    if (!parameter.empty()) root.set(parameter, 0.1);
    return scratch.path(name);
  };
  EXPECT_EQ(boundary_of(tensor_file("a.h5", "beta")), "periodic");
  EXPECT_EQ(boundary_of(tensor_file("1D_Burgers_Sols_Nu0.001.hdf5", "")), "periodic");
  EXPECT_EQ(boundary_of(tensor_file("b.h5", "")), "unknown");
}

TEST(Boundary, OfIncompressibleFlowIsAWallUnlessTheFileSaysOtherwise) {
  const Scratch scratch;
  const auto flow_file = [&](const std::string& name, const std::string& config) {
    auto root = File::create(scratch.path(name)).root();
    write_counting(root, "velocity", {1, 2, 4, 4, 2});
    if (!config.empty()) root.set("config", config);
    return scratch.path(name);
  };
  EXPECT_EQ(boundary_of(flow_file("a.h5", "")), "wall");
  EXPECT_EQ(boundary_of(flow_file("b.h5", "velocity_extrapolation: PERIODIC\nNU: 0.01")), "periodic");
  EXPECT_EQ(boundary_of(flow_file("c.h5", "velocity_extrapolation: MIXED\nNU: 0.01")), "unknown");
}

TEST(Boundary, InWordsThatNobodyKnowsIsUnknownWithANote) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("0000"), "data", {3, 4, 4, 1});
  root.set("boundary", "y: sticky, x: periodic");
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().state.boundary(), "unknown");
  EXPECT_NE(text::join(source->description().notes).find("'y: sticky, x: periodic' is taken as unknown"),
            std::string::npos);
  root.set("boundary", "y: wall/outflow, x: periodic");
  EXPECT_EQ(boundary_of(scratch.path("a.h5")), "y: wall/outflow, x: periodic");
}

// A file of The Well on 4 x 3 cells with the conditions that `add` makes.
void write_well(const std::string& path, const std::function<void(hdf5::Group)>& add) {
  auto root = File::create(path).root();
  root.set("n_trajectories", std::int64_t{1});
  auto dimensions = root.create_group("dimensions");
  set_letters(dimensions, "spatial_dims", "xy");
  write_list(dimensions, "time", {0, 1});
  write_list(dimensions, "x", {0, 1, 2, 3});
  write_list(dimensions, "y", {0, 1, 2});
  auto field = write_counting(root.create_group("t0_fields"), "u", {1, 2, 4, 3});
  field.set("sample_varying", 1.0);
  field.set("time_varying", 1.0);
  add(root.create_group("boundary_conditions"));
}

void add_condition(const hdf5::Group& all, const std::string& name, const std::string& kind,
                   const std::string& along, const std::vector<double>& mask) {
  auto condition = all.create_group(name);
  condition.set("bc_type", kind);
  set_letters(condition, "associated_dims", along);
  if (!mask.empty()) write_list(condition, "mask", mask);
}

TEST(TheWell, TellsTheBoundaryOfEachAxisAndSide) {
  const Scratch scratch;
  const auto path = scratch.path("a.h5");
  write_well(path, [](const hdf5::Group& all) {
    add_condition(all, "a", "PERIODIC", "x", {1, 0, 0, 1});
    add_condition(all, "b", "wall", "y", {1, 0, 0});
    add_condition(all, "c", "open", "y", {0, 0, 1});
  });
  EXPECT_EQ(boundary_of(path), "y: wall/outflow, x: periodic");
}

TEST(TheWell, TakesContradictionsAndUnknownWordsAsUnknownWithANote) {
  const Scratch scratch;
  const auto path = scratch.path("a.h5");
  write_well(path, [](const hdf5::Group& all) {
    add_condition(all, "a", "wall", "x", {});
    add_condition(all, "b", "open", "x", {});
  });
  EXPECT_EQ(boundary_of(path), "unknown");
  EXPECT_NE(open(path)->description().notes.back().find("b contradicts another"), std::string::npos);
  write_well(path, [](const hdf5::Group& all) {
    add_condition(all, "a", "sticky", "x", {});
    add_condition(all, "b", "wall", "y", {});
    add_condition(all, "obstacle", "wall", "xy", {});
  });
  EXPECT_EQ(boundary_of(path), "y: wall, x: unknown");
  EXPECT_EQ(open(path)->description().notes.size(), 2u);
}

}  // namespace
}  // namespace cvf::data

// What is missing is NaN: by the attributes of the CF conventions, and in chunks that were never written.
#include <cmath>

#include "core/errors.hpp"
#include "data/audit.hpp"
#include "data/trajectories.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::Element;
using hdf5::Extents;
using hdf5::File;
using hdf5::Group;
using hdf5::Storage;
using testing_support::Frames;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::write_counting;
using testing_support::write_list;

hdf5::Dataset write_values(const Group& parent, const std::string& name, const Extents& extents,
                           const std::vector<double>& values, const Storage& storage = {}) {
  auto dataset = parent.create_dataset(name, extents, storage);
  dataset.write(Extents(extents.size(), 0), extents, values.data());
  return dataset;
}

std::vector<double> all_of(const Scratch& scratch, const std::string& name) {
  return File::open(scratch.path("a.h5")).root().dataset(name).read_all();
}

void expect_same(const std::vector<double>& values, const std::vector<double>& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(values[i] == wanted[i] || (std::isnan(values[i]) && std::isnan(wanted[i])))
        << "entry " << i << " is " << values[i] << ", not " << wanted[i];
  }
}

/// A dataset with a fill value of its own, of which only the first chunk along the first axis is written.
void write_begun(const Group& parent, const char* name, double fill, H5D_fill_time_t when) {
  using hdf5::Handle;
  const hdf5::Guard guard;
  const hsize_t extents[] = {4, 2}, chunk[] = {2, 2}, start[] = {0, 0};
  const Handle space(H5Screate_simple(2, extents, nullptr)), creation(H5Pcreate(H5P_DATASET_CREATE)),
      memory(H5Screate_simple(2, chunk, nullptr));
  ASSERT_GE(H5Pset_chunk(creation.get(), 2, chunk), 0);
  ASSERT_GE(H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &fill), 0);
  ASSERT_GE(H5Pset_fill_time(creation.get(), when), 0);
  const Handle dataset(
      H5Dcreate2(parent.id(), name, H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT));
  ASSERT_GE(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, chunk, nullptr), 0);
  const double values[] = {1, 2, 3, 4};
  ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, values), 0);
}

TEST(Packing, ComparesMissingValuesBeforeItScales) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    auto packed = write_values(root, "u", {5}, {-9999, -20018, 0, 7, 4}, {.element = Element::int64});
    packed.set("_FillValue", std::int64_t{-9999});
    packed.set("missing_value", 7.0);
    packed.set("scale_factor", 0.5);
    packed.set("add_offset", 10.0);
  }
  expect_same(all_of(scratch, "u"), {NAN, -9999, 10, NAN, 12});
}

TEST(Packing, TakesWholeNumbersWithAScaleForStates) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    auto states = write_counting(root, "u", {2, 3, 2}, {.element = Element::int64});
    states.set("axes", "n,t,c");
    states.set("scale_factor", 0.25);
    write_values(root, "t", {3}, {10, 11, 12}, {.element = Element::int64}).set("scale_factor", 0.5);
  }
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(Frames(*source, 1).at(2, 0, 0, 1), 2.75F);
  EXPECT_EQ(source->times(1), (std::vector<double>{5, 5.5, 6}));
}

TEST(Packing, FindsAFillValueThatTheArrayHoldsInLessPrecision) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    write_values(root, "u", {3}, {-9999.1, -9999, 1}).set("_FillValue", -9999.1);
  }
  expect_same(all_of(scratch, "u"), {NAN, -9999, 1});
}

TEST(Packing, RefusesTimesThatAreMissing) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    auto group = root.create_group("0");
    write_counting(group, "data", {3, 1});
    group.create_group("grid");
    write_values(group, "grid/t", {3}, {0, 1, -9999}).set("_FillValue", -9999.0);
  }
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(sentence.find("a.h5: '/0/grid/t': time 2 is nan"), std::string::npos) << sentence;
}

TEST(Packing, RefusesAttributesThatAreNoNumbers) {
  const auto sentence_for = [](const char* attribute, auto value) {
    const Scratch scratch;
    {
      auto root = File::create(scratch.path("a.h5")).root();
      write_counting(root, "u", {3}).set(attribute, value);
    }
    return sentence_of([&] { all_of(scratch, "u"); });
  };
  const auto is = [](const std::string& sentence, const char* wanted) {
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  };
  is(sentence_for("_FillValue", "none"), "a.h5: '/u': attribute '_FillValue' is no number");
  is(sentence_for("scale_factor", 0.0), "a.h5: '/u': attribute 'scale_factor' is 0");
  is(sentence_for("add_offset", NAN), "a.h5: '/u': attribute 'add_offset' is nan");
}

TEST(Chunks, ThatWereNeverWrittenAreMissing) {
  for (const int deflate : {0, 4}) {
    const Scratch scratch;
    {
      auto root = File::create(scratch.path("a.h5")).root();
      auto u = root.create_dataset("u", {5, 3}, {.chunk = {2, 2}, .deflate = deflate});
      const std::vector<double> values{1, 2, 3, 4};
      u.write(Extents{0, 0}, Extents{2, 2}, values.data());
      u.write(Extents{4, 2}, Extents{1, 1}, values.data());
      u.set("axes", "t,x");
    }
    const std::vector<double> wanted{1, 2, NAN, 3, 4, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 1};
    expect_same(all_of(scratch, "u"), wanted);
    const auto source = open(scratch.path("a.h5"));
    for (int round = 0; round < 2; ++round) {  // chunks that were looked at must not count as written
      const Frames middle(*source, 0, 1, 3);
      expect_same({middle.values().begin(), middle.values().end()},
                  {wanted.begin() + 3, wanted.begin() + 12});
      const Frames end(*source, 0, 2, 2);
      expect_same({end.values().begin(), end.values().end()}, std::vector<double>(6, NAN));
    }
    const auto& notes = source->description().notes;
    const auto said = [](const std::string& note) {
      return note.find("'/u': 4 chunks were never written; their values are missing") != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), said));
  }
}

TEST(Chunks, HoldTheFillValueThatTheFileStates) {
  const Scratch scratch;
  {
    const auto root = File::create(scratch.path("a.h5")).root();
    write_begun(root, "stated", 7, H5D_FILL_TIME_IFSET);
    write_begun(root, "never", 7, H5D_FILL_TIME_NEVER);
    write_begun(root, "netcdf", 9.9692099683868690e+36, H5D_FILL_TIME_IFSET);
  }
  expect_same(all_of(scratch, "stated"), {1, 2, 3, 4, 7, 7, 7, 7});
  expect_same(all_of(scratch, "never"), {1, 2, 3, 4, NAN, NAN, NAN, NAN});
  expect_same(all_of(scratch, "netcdf"), {1, 2, 3, 4, NAN, NAN, NAN, NAN});
}

TEST(Chunks, OfTimesThatWereNeverWrittenAreRefused) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    write_counting(root, "u", {2, 3, 2}).set("axes", "n,t,c");
    root.create_dataset("t", {3}, {.element = Element::float64});
  }
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(sentence.find("a.h5: '/t': was declared but never written"), std::string::npos) << sentence;
}

TEST(MissingValues, AreCountedByChannelForTrainingAndTheAudit) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    auto u = write_counting(root, "u", {2, 4, 3, 2});
    u.set("axes", "n,t,x,c");
    u.set("channels", "h,v");
    u.set("missing_value", -1.0);
    const std::vector<double> gone(3, -1);
    u.write(Extents{1, 2, 0, 1}, Extents{1, 1, 3, 1}, gone.data());
    u.write(Extents{1, 3, 0, 0}, Extents{1, 1, 1, 1}, gone.data());
  }
  const std::shared_ptr<const Source> source = open(scratch.path("a.h5"));
  Trajectories trajectories(source, {}, 0, false, {});
  EXPECT_EQ(trajectories.get(0)->values.size(), 24U);
  const auto sentence = sentence_of([&] { trajectories.get(1); });
  EXPECT_NE(sentence.find(
                "a.h5: sample 1, frame 2, channel v holds nan; NaN or infinite in this sample: h 1 of 12, "
                "v 3 of 12; fill these values, or leave the sample out"),
            std::string::npos)
      << sentence;
  const Audit found = audit(*source, {{0}, {1}, {}});
  EXPECT_EQ(found.ranges.at(0).missing, 1U);
  EXPECT_EQ(found.ranges.at(1).missing, 3U);
  EXPECT_EQ(found.ranges.at(1).low, 1);
  EXPECT_EQ(found.findings.at(0).sentence,
            "sample 1: 4 values are NaN or infinite (h 1, v 3), first in frame 2, channel v");
}

TEST(MissingValues, AreNotRepeatedFrames) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    write_values(root, "u", {1, 4, 1}, {1, NAN, NAN, 2}).set("axes", "n,t,c");
  }
  const auto source = open(scratch.path("a.h5"));
  for (const auto& finding : audit(*source, {{0}, {}, {}}).findings)
    EXPECT_NE(finding.kind, "repeated frames");
}

TEST(Values, BeyondFloat32AreRefusedByTheirPlace) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("a.h5")).root();
    write_values(root, "u", {2, 2, 2}, {1, 2, 3, 4, 5, 1e300, 7, 8}, {.element = Element::float64})
        .set("axes", "n,t,c");
  }
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(Frames(*source, 0).values(), (std::vector<float>{1, 2, 3, 4}));
  const auto sentence = sentence_of([&] { Frames(*source, 1); });
  EXPECT_NE(sentence.find("a.h5: '/u': entry [1, 0, 1] is 1e+300, beyond the range of float32"),
            std::string::npos)
      << sentence;
}

}  // namespace
}  // namespace cvf::data

// What is written through the HDF5 wrapper comes back the same, and failures name file and object.
#include "data/hdf5.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "support/scratch.hpp"

namespace cvf::data::hdf5 {
namespace {

using testing_support::Scratch;
using testing_support::sentence_of;

TEST(Hdf5, ReturnsTheBlockThatWasWritten) {
  const Scratch scratch;
  auto file = File::create(scratch.path("a.h5"));
  auto dataset =
      file.root().create_group("run").create_dataset("data", {4, 3}, {.chunk = {2, 3}, .deflate = 4});
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  dataset.write(Extents{2, 0}, Extents{2, 3}, values.data());
  file.close();
  const auto again = File::open(scratch.path("a.h5")).root().dataset("run/data");
  std::vector<double> column(2);
  again.read(Extents{2, 1}, Extents{2, 1}, column.data());
  EXPECT_EQ(column, (std::vector<double>{2, 5}));
}

TEST(Hdf5, GrowsAlongTheFirstAxis) {
  const Scratch scratch;
  auto file = File::create(scratch.path("a.h5"));
  auto dataset =
      file.root().create_dataset("log", {0}, {.element = Element::float64, .chunk = {8}, .growable = true});
  for (std::size_t i = 0; i < 20; ++i) {
    const double value = static_cast<double>(i);
    dataset.grow(i + 1);
    dataset.write(Extents{i}, Extents{1}, &value);
  }
  const auto all = dataset.read_all();
  EXPECT_EQ(all.size(), 20u);
  EXPECT_EQ(all.back(), 19.0);
}

TEST(Hdf5, KeepsAttributesAndReplacesThem) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  root.set("boundary", "periodic");
  root.set("boundary", "zero flux");
  root.set("nu", 0.25);
  root.set("seed", std::int64_t{7});
  EXPECT_EQ(root.text("boundary"), "zero flux");
  EXPECT_EQ(root.number("nu"), 0.25);
  EXPECT_EQ(root.number("seed"), 7.0);
  EXPECT_EQ(root.text("nu"), std::nullopt);
  EXPECT_EQ(root.number("absent"), std::nullopt);
  EXPECT_EQ(root.attribute_names(), (std::vector<std::string>{"boundary", "nu", "seed"}));
}

TEST(Hdf5, NamesFileAndObjectWhenSomethingIsMissing) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  root.create_group("grid");
  EXPECT_NE(sentence_of([&] { root.dataset("grid/x"); }).find("a.h5: dataset '/grid/x' is missing"),
            std::string::npos);
  EXPECT_NE(sentence_of([&] { root.dataset("grid"); }).find("'/grid' is a group"), std::string::npos);
}

TEST(Hdf5, RefusesABlockOutsideTheArray) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  root.write_array("x", std::vector<double>{1, 2, 3}, {Element::float64});
  double value = 0;
  const auto sentence = sentence_of([&] { root.dataset("x").read(Extents{3}, Extents{1}, &value); });
  EXPECT_NE(sentence.find("a.h5: '/x': entries 3 to 4"), std::string::npos) << sentence;
}

TEST(Hdf5, ReadsTheSameWithAFittedChunkCache) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  const std::vector<float> values(8 * 512 * 512, 3.5F);
  root.create_dataset("u", {8, 512, 512}, {.chunk = {8, 64, 64}})
      .write(Extents{0, 0, 0}, Extents{8, 512, 512}, values.data());
  auto dataset = root.dataset("u");
  EXPECT_EQ(dataset.fit_cache(Extents{1, 512, 512}), std::size_t{8} << 20);
  float value = 0;
  dataset.read(Extents{7, 511, 511}, Extents{1, 1, 1}, &value);
  EXPECT_EQ(value, 3.5F);
}

// The handle of another driver is a file descriptor, not a pointer to faults.
TEST(Hdf5, AFileOfAnotherDriverHasNoFaults) {
  const Scratch scratch;
  File::create(scratch.path("a.h5")).close();
  const Guard guard;
  const Handle file(H5Fopen(scratch.path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  ASSERT_TRUE(file);
  const SharedFaults faults = faults_of(file.get());
  EXPECT_EQ(faults->read, 0);
  EXPECT_EQ(faults->write, 0);
}

TEST(Hdf5, ADriverThatIsNotAcceptedIsAnError) {
  const Guard guard;
  EXPECT_NE(
      sentence_of([] { use_file_driver(H5I_INVALID_HID, std::make_shared<Faults>()); }).find("file driver"),
      std::string::npos);
}

// The errors of a thread that has ended would keep libhdf5 from closing: "infinite loop closing library".
TEST(Hdf5, LeavesNoErrorsInTheThread) {
  const Scratch scratch;
  {
    auto file = File::create(scratch.path("a.h5"));
    const auto dataset = file.root().create_dataset("u", {3});
    file.close();  // the dataset's handle is void from here on
  }
  EXPECT_EQ(H5Eget_num(H5E_DEFAULT), 0);
  EXPECT_THROW(File::open(scratch.path("b.h5")), DataError);
  EXPECT_EQ(H5Eget_num(H5E_DEFAULT), 0);
}

}  // namespace
}  // namespace cvf::data::hdf5

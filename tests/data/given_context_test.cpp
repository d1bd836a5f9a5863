// A context that is given in place of a file's own: parameters by name, controls from a file.
#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "data/context.hpp"
#include "support/archives.hpp"
#include "support/has.hpp"
#include "support/memory_source.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using testing_support::has;
using testing_support::MemorySource;
using Values = std::vector<float>;

class GivenContextTest : public testing::Test {
 protected:
  GivenContext read(const std::string& csv) {
    files::write_atomically(scratch_.path("u.csv"), csv);
    GivenContext given;
    given.read_controls(scratch_.path("u.csv"));
    return given;
  }
  std::string complaint(const std::string& csv) {
    try {
      read(csv);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  // The channel `mu` is 4 for ever.
  std::shared_ptr<const Source> source_ = std::make_shared<MemorySource>(
      std::vector<std::size_t>{3, 3}, 1, 1, std::vector<std::string>{"x", "mu"},
      [](std::size_t, std::size_t frame, std::size_t i) {
        return i == 1 ? 4.0F : static_cast<float>(frame);
      });
  testing_support::Scratch scratch_;
};

TEST_F(GivenContextTest, ReadsCsv) {
  const auto given = read("force, t ,wind\n1,0,5\n\n2,0.5,5\r\n-3e-1,0.5,6\n0,2,7\n");
  EXPECT_EQ(given.controls, (std::vector<std::string>{"force", "wind"}));
  EXPECT_EQ(given.times, (std::vector<double>{0, 0.5, 0.5, 2}));
  EXPECT_EQ(given.values, (Values{1, 5, 2, 5, -0.3F, 6, 0, 7}));
}

TEST_F(GivenContextTest, TakesTheByteOrderMarkOfASpreadsheet) {
  const auto given = read("\xef\xbb\xbft,force\n0,1\n1,2\n");
  EXPECT_EQ(given.controls, std::vector<std::string>{"force"});
  EXPECT_EQ(given.times, (std::vector<double>{0, 1}));
}

TEST_F(GivenContextTest, ReadsNpz) {
  using testing_support::npy;
  using testing_support::raw;
  files::write_atomically(
      scratch_.path("u.npz"),
      testing_support::zip({{"time.npy", npy("<f8", "(3,)", raw(std::vector<double>{0, 1, 1.5}))},
                            {"force.npy", npy("<f4", "(3,)", raw(std::vector<float>{2, 3, 4}))},
                            {"about.npy", npy("<f4", "(1, 1)", raw(std::vector<float>{9}))}},
                           true));
  GivenContext given;
  given.read_controls(scratch_.path("u.npz"));
  EXPECT_EQ(given.controls, std::vector<std::string>{"force"}) << "what has two axes is no series";
  EXPECT_EQ(given.times, (std::vector<double>{0, 1, 1.5}));
  EXPECT_EQ(given.values, (Values{2, 3, 4}));
}

TEST_F(GivenContextTest, ReadsHdf5) {
  using testing_support::write_list;
  const std::string path = scratch_.path("u.h5");
  {
    auto file = hdf5::File::create(path);
    write_list(file.root(), "t", {0, 1, 1, 1.5});
    write_list(file.root(), "force", {2, 3, -3, 4});
    testing_support::write_counting(file.root(), "about", {4, 2});
    write_list(file.root().create_group("more"), "wind", {1, 2, 3, 4});
    file.close();
  }
  GivenContext given;
  given.read_controls(path);
  EXPECT_EQ(given.controls, std::vector<std::string>{"force"}) << "what has two axes is no series";
  EXPECT_EQ(given.times, (std::vector<double>{0, 1, 1, 1.5}));
  EXPECT_EQ(given.values, (Values{2, 3, -3, 4}));
}

TEST_F(GivenContextTest, ReadsTheControlsOfADataFileOfOneSample) {
  using testing_support::sentence_of;
  using testing_support::write_list;
  const auto write = [&](const std::vector<const char*>& keys, bool series) {
    auto file = hdf5::File::create(scratch_.path("d.h5"));
    for (const char* key : keys) {
      const auto group = file.root().create_group(key);
      testing_support::write_counting(group, "data", {3, 2});
      write_list(group.create_group("grid"), "t", {0, 0.5, 1});
      if (std::string_view(key) != "0002") write_list(group.create_group("controls"), "force", {7, 8, 9});
      if (!series) continue;
      const auto given = group.create_group("control_series");
      write_list(given, "t", {0, 0.25, 0.25, 1});
      write_list(given, "force", {7, 7, 9, 9});
    }
    file.close();
    GivenContext given;
    given.read_controls(scratch_.path("d.h5"));
    return given;
  };
  auto given = write({"0000"}, false);
  EXPECT_EQ(given.times, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(given.values, (Values{7, 8, 9}));
  given = write({"0000"}, true);
  EXPECT_EQ(given.times, (std::vector<double>{0, 0.25, 0.25, 1})) << "as a forecast was given it";
  EXPECT_EQ(given.values, (Values{7, 7, 9, 9}));
  EXPECT_PRED2(has, sentence_of([&] {
                 write({"0000", "0001"}, false);
               }),
               "has the controls of 2 samples, and a control file those of one");
  EXPECT_PRED2(has, sentence_of([&] { write({"0002"}, false); }),
               "an NPZ or HDF5 file has the arrays t and force");
}

TEST_F(GivenContextTest, SaysWhatIsWrongWithAnHdf5File) {
  const auto said = [&](const std::vector<double>& times, const std::vector<double>& force) {
    auto file = hdf5::File::create(scratch_.path("u.h5"));
    testing_support::write_list(file.root(), "t", times);
    testing_support::write_list(file.root(), "force", force);
    file.close();
    return testing_support::sentence_of([&] { GivenContext{}.read_controls(scratch_.path("u.h5")); });
  };
  EXPECT_PRED2(has, said({0, 1}, {1, 2, 3}), "u.h5: 'force' has 3 values for 2 times");
  EXPECT_PRED2(has, said({1, 0}, {1, 2}), "u.h5: time 0 comes after 1");
  EXPECT_PRED2(has, said({0, 1}, {1, NAN}), "u.h5: a value at time 1 is not finite");
}

TEST_F(GivenContextTest, SaysWhatIsWrongWithAFile) {
  EXPECT_TRUE(has(complaint(""), "has no times"));
  EXPECT_TRUE(has(complaint("t,force\n"), "has no values"));
  EXPECT_TRUE(has(complaint("x,force\n0,1\n"), "has no times; a CSV begins with names like t,force"));
  EXPECT_TRUE(has(complaint("t,force\n0,1\n1\n"), "line 3 has 1 values; the first line names 2 columns"));
  EXPECT_TRUE(has(complaint("t,force\n0,1\n1,much\n"), "line 3: 'much' is not a number"));
  EXPECT_TRUE(has(complaint("t,force\n1,1\n0,1\n"), "time 0 comes after 1"));
  EXPECT_TRUE(has(complaint("t,force\n1,1\n1,2\n1,3\n"), "time 1 is there three times"));
  EXPECT_TRUE(has(complaint("t,force\n0,1\n1,nan\n"), "at time 1 is not finite"));
  EXPECT_TRUE(has(complaint("t,force\n0,1\n1,1e300\n"),
                  "u.csv: 'force' at time 1 is 1e+300, beyond the range of float32; rescale the values"));
  EXPECT_TRUE(has(complaint("t,force,force\n0,1,2\n"), "u.csv: two columns are called 'force'"));
  EXPECT_TRUE(has(complaint("t,force,\n0,1,2\n"), "u.csv: a column has no name"));
  EXPECT_THROW(GivenContext{}.read_controls(scratch_.path("none.csv")), DataError);
}

TEST_F(GivenContextTest, StandsInForWhatTheFileSaysOrLacks) {
  GivenContext given = read("t,wind,force\n0,9,1\n4,9,2\n");
  given.parameters = {{"mu", 2.5}, {"nu", 0.5}};
  const auto with = with_context(source_, {{"nu", "mu"}, {}, {"force"}}, given);
  EXPECT_EQ(with->description().channels(), std::vector<std::string>{"x"}) << "mu is no state even so";
  const auto context = with->context(1);
  EXPECT_EQ(context->parameters, (std::vector<double>{0.5, 2.5}));
  EXPECT_EQ(context->times, (std::vector<double>{0, 4}));
  EXPECT_EQ(context->controls, (Values{1, 2}));
  given.parameters.erase("mu");
  EXPECT_EQ(with_context(source_, {{"mu"}, {}, {}}, given)->context(0)->parameters, std::vector<double>{4});
}

TEST_F(GivenContextTest, NamesAControlThatTheFileLacks) {
  const GivenContext given = read("t,forces\n0,1\n1,1\n");
  try {
    with_context(source_, {{}, {}, {"force"}}, given);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(has(error.what(), "u.csv: has no control 'force' (did you mean 'forces'?)")) << error.what();
  }
}

}  // namespace
}  // namespace cvf::data

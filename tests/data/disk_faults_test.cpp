// A disk that cannot be read or written is an error, whichever call it hits. It never makes an attribute or
// an array look absent, nor a file look whole.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "data/groups_writer.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "support/has.hpp"
#include "support/layouts.hpp"
#include "support/scratch.hpp"

namespace {

int reads_left = 0, writes_left = 0;  // until one fails; 0: none does

bool fails(int& left) {
  if (left == 0 || --left > 0) return false;
  errno = EIO;
  return true;
}

// libhdf5 leaks a list of an object header whose continuation block cannot be read. At exit it would wait in
// vain for that list and print "infinite loop closing library". The program does the same at its start.
[[maybe_unused]] const bool left_as_it_is = [] {
  cvf::data::leave_hdf5_as_it_is_at_exit();
  return true;
}();

}  // namespace

// These stand before the C library's: the driver of HDF5 files uses them.
extern "C" ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  return fails(reads_left) ? -1 : syscall(SYS_pread64, file, bytes, count, offset);
}
extern "C" ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  return fails(writes_left) ? -1 : syscall(SYS_pwrite64, file, bytes, count, offset);
}

namespace cvf::data {
namespace {

using testing_support::Scratch;

void write_ours(const std::string& file) {
  GroupsWriter writer(file, {state_of({"u"}, {{"y", 2, {0, 1}}, {"x", 2, {0, 1}}}),
                             {{0, 1}, {0, 2}},
                             {"nu"},
                             {{"config", std::string(900, 'c')}}});
  for (const std::size_t sample : {0U, 1U}) {
    for (const std::size_t frame : {0U, 1U}) writer.write_frame(sample, frame, std::vector<float>(4, 1));
    writer.write_scalars(sample, std::vector<double>{0.5});
    writer.finish_sample(sample);
  }
  writer.finish();
}

// All that a file says.
std::string told(const std::string& file) {
  const auto source = open(file);
  const Description& about = source->description();
  std::string out =
      fmt::format("{} {} {} {} {} {}\n", about.layout, about.axes, fmt::join(about.channels(), ","),
                  about.state.boundary(), fmt::join(about.state.coordinates("x"), " "),
                  fmt::join(about.state.coordinates("y"), " "));
  for (const auto& [name, value] : about.attributes) out += fmt::format("{} = {}\n", name, value);
  for (const auto& note : about.notes) out += note + "\n";
  for (std::size_t sample = 0; sample < about.samples; ++sample) {
    std::vector<float> values(about.frames[sample] * about.frame_size());
    source->read(sample, 0, about.frames[sample], values);
    out += fmt::format("{} {}\n", fmt::join(source->times(sample), " "), fmt::join(values, " "));
    for (const auto& [name, value] : source->scalars(sample)) out += fmt::format("{} = {}\n", name, value);
  }
  return out;
}

TEST(ReadFaults, AreTheSentenceOfEveryLayoutAtEveryRead) {
  const Scratch scratch;
  testing_support::write_layouts(scratch.path("all"));
  write_ours(scratch.path("all/ours.h5"));
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path("all"))) {
    const std::string file = entry.path().string(), whole = told(file);
    for (int read = 1;; ++read) {
      reads_left = read;
      std::string said;
      try {
        said = told(file);
      } catch (const DataError& error) {
        EXPECT_PRED2(testing_support::has, error.what(), "Input/output error") << "read " << read;
        EXPECT_PRED2(testing_support::has, error.what(), file);
        ASSERT_EQ(reads_left, 0);
        continue;
      }
      ASSERT_GT(std::exchange(reads_left, 0), 0) << file << ": read " << read << " failed unheard";
      ASSERT_EQ(said, whole);
      ASSERT_GT(read, 2) << file << ": the reads do not come by here";
      break;
    }
  }
  const hdf5::Guard guard;
  EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL), 0) << "identifiers are still open";
}

TEST(ReadFaults, StayWithAFileUntilItIsClosed) {
  const Scratch scratch;
  const std::string path = scratch.path("a.h5");
  {
    auto file = hdf5::File::create(path);
    file.root().create_group("b").set("note", "text");
    file.close();
  }
  {
    const hdf5::Group root = hdf5::File::open(path).root();
    reads_left = 1;
    EXPECT_THROW(root.group("b").text("note"), DataError);
    reads_left = 0;
    EXPECT_THROW(root.group("b").text("note"), DataError);
    EXPECT_THROW(hdf5::File::open(path).root().has_group("b"), DataError);
  }
  EXPECT_EQ(hdf5::File::open(path).root().group("b").text("note"), "text");
}

TEST(ReadFaults, LeaveNothingForTheLibraryToComplainAboutWhenAProgramEnds) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // the process below comes here before it has used the library
  const auto program = [] {
    const Scratch scratch;
    write_ours(scratch.path("a.h5"));
    for (int read = 1; read < 100; ++read) {
      reads_left = read;
      try {
        told(scratch.path("a.h5"));
      } catch (const DataError&) {
      }
    }
    reads_left = 0;
  };
  EXPECT_EXIT(program(); std::exit(0), testing::ExitedWithCode(0), "^$");
}

TEST(WriteFaults, AreHeardWhenAFileIsClosedWhateverOfItIsStillOpen) {
  const Scratch scratch;
  const auto write = [&] {
    auto file = hdf5::File::create(scratch.path("a.h5"));
    const hdf5::Group root = file.root(), group = root.create_group("b");
    group.write_array("x", std::vector<double>(2000, 1.0), {});
    file.close();
  };
  int first = 1;
  for (bool heard = true; heard; ++first) {
    writes_left = first;
    try {
      write();
      heard = false;
    } catch (const DataError& error) {
      EXPECT_PRED2(testing_support::has, error.what(), "a.h5: cannot be written: Input/output error");
    }
    ASSERT_EQ(heard, std::exchange(writes_left, 0) == 0) << "write " << first << " failed unheard";
  }
  EXPECT_GT(first, 3);
}

}  // namespace
}  // namespace cvf::data

// Broken and hostile files: each is refused with a sentence that names the file and, where there is one, the
// dataset.
#include <cmath>

#include "data/lzf.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::File;
using hdf5::Group;
using hdf5::Handle;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::write_counting;
using testing_support::write_file;

/// Opens what `write` has put into a.h5, reads a frame, and returns the sentence.
template <class Write>
std::string refusal(Write&& write, const OpenOptions& options = {}) {
  const Scratch scratch;
  {
    auto file = File::create(scratch.path("a.h5"));
    const hdf5::Guard guard;
    write(file.root(), scratch);
  }
  return sentence_of([&] {
    const auto source = open(scratch.path("a.h5"), options);
    std::vector<float> frame(source->description().frame_size());
    source->read(0, 0, 1, frame);
  });
}

void expect_words(const std::string& sentence, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(sentence.find(word), std::string::npos) << word << " in: " << sentence;
}

hid_t declare(const Group& parent, const char* name, std::vector<hsize_t> extents,
              hid_t type = H5T_IEEE_F32LE, hid_t creation = H5P_DEFAULT) {
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
  return H5Dcreate2(parent.id(), name, type, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT);
}

Handle chunked(std::vector<hsize_t> chunk) {
  Handle creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  return creation;
}

TEST(Hostile, MissingEmptyAndForeignFilesAreNamed) {
  const Scratch scratch;
  const auto attempt = [&](const std::string& bytes) {
    write_file(scratch.path("a.h5"), bytes);
    return sentence_of([&] { open(scratch.path("a.h5")); });
  };
  expect_words(sentence_of([&] { open(scratch.path("none.h5")); }), {"none.h5", "does not exist"});
  expect_words(attempt(""), {"a.h5", "is empty"});
  expect_words(attempt("hello"), {"a.h5", "none of the formats"});
  expect_words(attempt("CDF\x01rest"), {"a.h5", "NetCDF-3"});
  expect_words(attempt("MATLAB 5.0 MAT-file, Platform"), {"a.h5", "MATLAB"});
  expect_words(sentence_of([&] { open(scratch.path("")); }), {"is a folder"});
  write_file(scratch.path(".zgroup"), "{}");
  expect_words(sentence_of([&] { open(scratch.path("")); }), {"Zarr"});
}

TEST(Hostile, FilesCutShortAnywhereAreRefused) {
  const Scratch scratch;
  {
    auto root = File::create(scratch.path("whole.h5")).root();
    write_counting(root.create_group("0000"), "data", {4, 16, 16, 2});
    write_counting(root.create_group("0001"), "data", {4, 16, 16, 2},
                   {.chunk = {1, 16, 16, 2}, .deflate = 3});
  }
  const std::string whole = testing_support::read_file(scratch.path("whole.h5"));
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    write_file(scratch.path("a.h5"), whole.substr(0, whole.size() * tenth / 10));
    expect_words(sentence_of([&] { open(scratch.path("a.h5")); }), {"a.h5"});
  }
}

TEST(Hostile, ReasonsOfLibhdf5ReachTheSentence) {
  const Scratch scratch;
  { write_counting(File::create(scratch.path("a.h5")).root(), "tensor", {2, 3, 4}); }
  const std::string whole = testing_support::read_file(scratch.path("a.h5"));
  write_file(scratch.path("a.h5"), whole.substr(0, whole.size() / 2));
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  expect_words(sentence, {"a.h5", "cannot be opened as HDF5: "});
  EXPECT_EQ(sentence.find("no reason"), std::string::npos) << sentence;
}

TEST(Hostile, DatasetsOfTheWrongRankAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root.create_group("0000"), "data", {3});
               }),
               {"a.h5", "/0000/data", "1 axes"});
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root, "tensor", {3, 4});
               }),
               {"a.h5", "/tensor", "2 axes"});
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root, "velocity", {3, 4, 4});
               }),
               {"a.h5", "/velocity", "3 axes"});
}

TEST(Hostile, MoreValuesThanThereAreNumbersAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 const hsize_t huge = hsize_t{1} << 40;
                 H5Dclose(declare(root.create_group("0"), "data", {huge, huge, 2}, H5T_IEEE_F32LE,
                                  chunked({1, 1, 1}).get()));
               }),
               {"a.h5", "/0/data", "more than any machine"});
}

TEST(Hostile, DatasetsThatTheFileCannotHoldAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 const Handle creation = chunked({1, 16});
                 const Handle data(declare(root.create_group("0"), "data", {1000000000, 16}, H5T_IEEE_F32LE,
                                           creation.get()));
                 const std::vector<float> row(16, 1);
                 const hsize_t start[] = {0, 0};
                 H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, start, 64, row.data());
               }),
               {"a.h5", "/0/data", "declares 64 GB"});
}

TEST(Hostile, DatasetsThatWereNeverWrittenAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 H5Dclose(declare(root.create_group("0"), "data", {4, 16}));
               }),
               {"a.h5", "/0/data", "never written"});
}

TEST(Hostile, EmptyDatasetsAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 H5Dclose(declare(root.create_group("0"), "data", {0, 16}));
               }),
               {"a.h5", "/0/data", "empty"});
  expect_words(refusal([](const Group& root, const Scratch&) {
                 H5Dclose(declare(root, "tensor", {0, 4, 4}));
               }),
               {"a.h5", "/tensor", "empty"});
}

TEST(Hostile, FilesWithoutDataAreRefused) {
  expect_words(refusal([](const Group&, const Scratch&) {}), {"a.h5", "no floating-point dataset"});
}

TEST(Hostile, ASampleWithoutDataIsRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root.create_group("0"), "data", {2, 2});
                 root.create_group("1");
               }),
               {"a.h5", "'/1/data' is missing"});
}

TEST(Hostile, AGroupInPlaceOfADatasetIsRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root.create_group("0"), "data", {2, 2});
                 root.create_group("1").create_group("data");
               }),
               {"a.h5", "'/1/data' is a group"});
}

TEST(Hostile, TypesThatAreNotFloatingAreRefused) {
  const auto write = [](hid_t type) {
    return [type](const Group& root, const Scratch&) {
      const Handle data(declare(root.create_group("0"), "data", {2, 2}, type));
      const std::vector<char> zeros(1024, 0);
      H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
    };
  };
  expect_words(refusal(write(H5T_NATIVE_INT)), {"a.h5", "/0/data", "no floating-point"});
  expect_words(refusal(write(H5T_C_S1)), {"a.h5", "/0/data", "no floating-point"});
}

TEST(Hostile, ExternalLinksAreNotFollowed) {
  expect_words(refusal([](const Group& root, const Scratch& scratch) {
                 {
                   auto other = File::create(scratch.path("other.h5"));
                   write_counting(other.root(), "secret", {2, 2});
                 }
                 write_counting(root.create_group("0"), "data", {2, 2});
                 const auto sample = root.create_group("1");
                 H5Lcreate_external("other.h5", "/secret", sample.id(), "data", H5P_DEFAULT, H5P_DEFAULT);
               }),
               {"a.h5", "'/1/data' is or lies behind a soft or external link"});
}

TEST(Hostile, ExternalStorageIsNotFollowed) {
  expect_words(refusal([](const Group& root, const Scratch& scratch) {
                 write_file(scratch.path("secret"), std::string(64, 'x'));
                 const Handle creation(H5Pcreate(H5P_DATASET_CREATE));
                 H5Pset_external(creation.get(), scratch.path("secret").c_str(), 0, 16);
                 H5Dclose(declare(root.create_group("0"), "data", {2, 2}, H5T_IEEE_F32LE, creation.get()));
               }),
               {"a.h5", "/0/data", "external file"});
}

TEST(Hostile, VirtualDatasetsAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 const hsize_t extents[] = {2, 2};
                 const Handle space(H5Screate_simple(2, extents, nullptr)),
                     creation(H5Pcreate(H5P_DATASET_CREATE));
                 H5Pset_virtual(creation.get(), space.get(), "other.h5", "/u", space.get());
                 H5Dclose(declare(root.create_group("0"), "data", {2, 2}, H5T_IEEE_F32LE, creation.get()));
               }),
               {"a.h5", "/0/data", "virtual"});
}

TEST(Hostile, UnknownFiltersAreNamed) {
  expect_words(
      refusal([](const Group& root, const Scratch&) {
        const Handle creation = chunked({2, 2});
        H5Pset_filter(creation.get(), 32015, H5Z_FLAG_OPTIONAL, 0, nullptr);  // Zstandard
        const Handle data(declare(root.create_group("0"), "data", {2, 2}, H5T_IEEE_F32LE, creation.get()));
        const hsize_t start[] = {0, 0};
        H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, start, 4, "abcd");
      }),
      {"a.h5", "/0/data", "filter 32015"});
}

std::size_t pass_through(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

/// A chunk of 2 x 2 floats "packed" with LZF into `stream`; `declared` is what the filter says it unpacks to.
auto lzf_chunk(unsigned declared, const std::string& stream) {
  return [=](const Group& root, const Scratch&) {
    const Handle creation = chunked({2, 2});
    const unsigned parameters[] = {4, 0x105, declared};
    const H5Z_class2_t packs{H5Z_CLASS_T_VERS, lzf::filter_id, 1, 1, "lzf", nullptr, nullptr, pass_through};
    H5Zregister(&packs);  // libhdf5 creates no dataset with a filter that only unpacks, such as ours
    H5Pset_filter(creation.get(), 32000, H5Z_FLAG_OPTIONAL, 3, parameters);
    const Handle data(declare(root.create_group("0"), "data", {2, 2}, H5T_IEEE_F32LE, creation.get()));
    const hsize_t start[] = {0, 0};
    H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, start, stream.size(), stream.data());
    lzf::register_filter();
  };
}

TEST(Hostile, BrokenLZFChunksAreRefused) {
  const std::string short_chunk{3, 'a', 'b', 'c', 'd'};
  const std::string half_chunk{7, 'a', 'b', 'c', 'd', 'a', 'b', 'c', 'd'};
  expect_words(refusal(lzf_chunk(16, {31, 'a', 'b'})), {"a.h5", "/0/data", "cannot be read"});
  expect_words(refusal(lzf_chunk(16, short_chunk)), {"a.h5", "/0/data", "cannot be read"});
  expect_words(refusal(lzf_chunk(4000000000U, short_chunk)), {"a.h5", "/0/data", "cannot be read"});
  expect_words(refusal(lzf_chunk(8, half_chunk)), {"a.h5", "/0/data", "LZF"});
}

TEST(Lzf, ChunksInAFileAreUnpackedByTheFilter) {
  const Scratch scratch;
  std::string stream{15};
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F}) stream.append(reinterpret_cast<const char*>(&value), 4);
  {
    const hdf5::Guard guard;
    lzf_chunk(16, stream)(File::create(scratch.path("a.h5")).root(), scratch);
  }
  EXPECT_EQ(testing_support::Frames(*open(scratch.path("a.h5")), 0).values(),
            (std::vector<float>{1, 2, 3, 4}));
}

TEST(Hostile, BrokenDeflateChunksAreRefused) {
  expect_words(
      refusal([](const Group& root, const Scratch&) {
        const Handle creation = chunked({2, 2});
        H5Pset_deflate(creation.get(), 3);
        const Handle data(declare(root.create_group("0"), "data", {2, 2}, H5T_IEEE_F32LE, creation.get()));
        const hsize_t start[] = {0, 0};
        H5Dwrite_chunk(data.get(), H5P_DEFAULT, 0, start, 9, "not zlib!");
      }),
      {"a.h5", "/0/data", "cannot be read"});
}

TEST(Hostile, CoordinatesThatAreTooShortAreRefused) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 write_counting(root, "tensor", {2, 3, 4});
                 testing_support::write_list(root, "t-coordinate", {0, 1});
               }),
               {"a.h5", "/t-coordinate", "2 entries for 3"});
}

TEST(Hostile, ValuesAndChunksOfNoSizeAreRefused) {
  const Scratch scratch;
  {
    write_counting(File::create(scratch.path("a.h5")).root().create_group("0"), "data", {4, 2},
                   {.chunk = {2, 2}});
  }
  const std::string whole = testing_support::read_file(scratch.path("a.h5"));
  const auto refused = [&](const std::string& field, std::size_t place) {
    const std::size_t found = whole.find(field);
    ASSERT_NE(found, std::string::npos);
    std::string broken = whole;
    broken[found + place] = 0;
    write_file(scratch.path("a.h5"), broken);
    expect_words(sentence_of([&] { open(scratch.path("a.h5")); }), {"a.h5"});
  };
  refused(std::string("\x11\x20\x1f\x00\x04\x00\x00\x00", 8), 4);  // the type: a float, its bits, its bytes
  refused(std::string("\x02\x00\x00\x00\x02\x00\x00\x00\x04", 9), 0);  // the chunk: 2 x 2 of 4 bytes
}

TEST(Hostile, GroupsThatContainThemselvesEndTheSearch) {
  expect_words(refusal([](const Group& root, const Scratch&) {
                 const auto group = root.create_group("loop");
                 H5Lcreate_hard(root.id(), "loop", group.id(), "a", H5P_DEFAULT, H5P_DEFAULT);
                 H5Lcreate_hard(root.id(), "loop", group.id(), "b", H5P_DEFAULT, H5P_DEFAULT);
                 H5Lcreate_hard(root.id(), "loop", group.id(), "c", H5P_DEFAULT, H5P_DEFAULT);
               }),
               {"a.h5", "no floating-point dataset"});
}

}  // namespace
}  // namespace cvf::data

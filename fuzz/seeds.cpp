// Writes a few small, valid inputs for each fuzz target into a folder.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "data/hdf5.hpp"
#include "support/archives.hpp"

namespace {

using cvf::data::hdf5::Extents;
using cvf::data::hdf5::File;
using cvf::data::hdf5::Group;
using namespace cvf::testing_support;

void write_seed(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void write_states(const Group& parent, const std::string& name, const Extents& extents,
                  const Extents& chunk = {}) {
  auto dataset = parent.create_dataset(name, extents, {.chunk = chunk, .deflate = chunk.empty() ? 0 : 1});
  std::vector<float> values(dataset.size(), 0.5F);
  dataset.write(Extents(extents.size(), 0), extents, values.data());
}

void write_hdf5(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto groups = File::create(folder / "groups.h5").root();
  write_states(groups.create_group("0000"), "data", {2, 4, 4, 1});
  write_states(groups.create_group("0001"), "data", {2, 4, 4, 1}, {1, 4, 4, 1});
  const auto fields = File::create(folder / "fields.h5").root();
  for (const char* name : {"density", "pressure", "Vx", "Vy"}) write_states(fields, name, {1, 2, 4, 4});
  write_states(File::create(folder / "tensor.h5").root(), "tensor", {2, 2, 4});
  write_states(File::create(folder / "velocity.h5").root(), "velocity", {1, 2, 4, 4, 2});
  const auto pairs = File::create(folder / "pairs.h5").root();
  for (const char* name : {"x", "y"}) write_states(pairs, name, {2, 4, 4});
}

void write_numpy(const std::filesystem::path& folder) {
  const std::string array = npy("<f4", "(2, 3, 4)", counting<float>(24));
  const std::string fortran = npy(">f8", "(2, 2)", counting<double>(4, true), true);
  const std::string times = npy("<f8", "(3,)", counting<double>(3));
  write_seed(folder / "array", "\x03" + array);
  write_seed(folder / "fortran", "\x02" + fortran);
  for (const bool packed : {false, true}) {
    for (const bool wide : {false, true}) {
      write_seed(folder / (std::string("zip") + (packed ? "p" : "s") + (wide ? "w" : "n")),
                 "\x03" + zip({{"u.npy", array}, {"t.npy", times}}, packed, wide));
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: fuzz_seeds <folder>\n";
    return 2;
  }
  const std::filesystem::path folder = words[1];
  write_hdf5(folder / "open_file");
  write_numpy(folder / "npy");
  write_seed(folder / "lzf" / "literals", std::string("\x04\x00\x02"
                                                      "abc\x00"
                                                      "d",
                                                      8));
  write_seed(folder / "lzf" / "run", std::string("\x10\x00\x01"
                                                 "ab\xe0\x04\x01",
                                                 8));
}

// Writes a few small, valid inputs for each fuzz target into a folder.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "model/safetensors.hpp"
#include "support/archives.hpp"
#include "support/layouts.hpp"

namespace {

using namespace cvf::testing_support;

void write_seed(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
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

void write_safetensors(const std::filesystem::path& folder) {
  namespace safetensors = cvf::model::safetensors;
  using safetensors::Dtype;
  const std::vector<float> values(6, 0.5F);
  const auto bytes = std::as_bytes(std::span(values));
  const std::string file = safetensors::serialize({.tensors = {{"a.weight", Dtype::f32, {2, 3}, bytes},
                                                               {"b", Dtype::f64, {}, bytes.first(8)},
                                                               {"empty", Dtype::i64, {0, 7}, {}},
                                                               {"half", Dtype::bf16, {1, 2}, bytes.first(4)}},
                                                   .metadata = {{"made", "by hand"}, {"format", "pt"}}});
  const std::string header(file.substr(8, file.find('\0', 16) - 8));
  write_seed(folder / "file", "F" + file);
  write_seed(folder / "header", "H" + header + std::string(1 + 8 + 24 + 4, '\0'));
  write_seed(folder / "nothing", "H{}");
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: fuzz_seeds <folder>\n";
    return 2;
  }
  const std::filesystem::path folder = words[1];
  write_layouts(folder / "open_file");
  write_numpy(folder / "npy");
  write_safetensors(folder / "safetensors");
  write_seed(folder / "lzf" / "literals", std::string("\x04\x00\x02"
                                                      "abc\x00"
                                                      "d",
                                                      8));
  write_seed(folder / "lzf" / "run", std::string("\x10\x00\x01"
                                                 "ab\xe0\x04\x01",
                                                 8));
}

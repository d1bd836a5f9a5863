#include <filesystem>

#include "cli/verbs.hpp"
#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf::cli {

std::string folder_of_run(const std::string& name) {
  const std::filesystem::path inside = std::filesystem::path("runs") / name;
  std::error_code none;
  return !std::filesystem::exists(name, none) && std::filesystem::is_directory(inside, none) ? inside.string()
                                                                                              : name;
}

void say_notes(const data::Source& source) {
  const auto& d = source.description();
  for (const auto& note : d.notes) log::note("{}: {}", d.file, text::printable(note));
}

void InputFile::add_to(CLI::App& verb) {
  verb.add_option("FILE", path, "data file; its layout is found from its content")->required();
  verb.add_option("--dataset", options.dataset, "path of the array inside a plain HDF5 or NPZ file");
  verb.add_option("--axes", options.axes,
                  "what the axes of a plain array are, in order: n (sample), t, y, x, c, e.g. n,t,y,x");
  verb.add_option("--dt", options.dt, "time between frames when the file does not tell");
}

}  // namespace cvf::cli

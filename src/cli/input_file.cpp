#include "cli/verbs.hpp"

namespace cvf::cli {

void InputFile::add_to(CLI::App& verb) {
  verb.add_option("FILE", path, "data file; its layout is found from its content")->required();
  verb.add_option("--dataset", options.dataset, "path of the array inside a plain HDF5 or NPZ file");
  verb.add_option("--axes", options.axes,
                  "what the axes of a plain array are, in order: n (sample), t, y, x, c, e.g. n,t,y,x");
  verb.add_option("--dt", options.dt, "time between frames when the file does not tell");
}

}  // namespace cvf::cli

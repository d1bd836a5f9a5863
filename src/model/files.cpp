#include "model/files.hpp"

namespace cvf::model {

constexpr std::array needed_files{model_file, run_file, weights_file, normalizer_file};

folder::Files read_files(const std::string& folder) {
  constexpr std::array of_training{progress_file, moments_file};
  return folder::read(folder, needed_files, of_training);
}

}  // namespace cvf::model

// What a user names as RUN: a model's folder, or a run's folder that holds one.
#pragma once

#include <string>

#include "data/source.hpp"
#include "model/trained_model.hpp"

namespace cvf::cli {

struct RunFolder {
  model::TrainedModel model;
  std::string folder;       // where the model was found
  std::string objective;    // that it was trained for; empty when unknown
  std::string solver;       // that suits it
  bool conditioned = true;  // the field sees dt
};

/// `path` itself when it holds a model, else its subfolder best, else last.
RunFolder open_run(const std::string& path);

/// A DataError when the file's channels or grid are not those that the model was trained on.
void check_fits(const data::Source& source, const model::TrainedModel& model);

}  // namespace cvf::cli

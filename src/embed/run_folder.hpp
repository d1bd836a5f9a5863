// What a user names as RUN: a model's folder, or a run's folder that holds one.
#pragma once

#include <string>

#include "model/trained_model.hpp"

namespace cvf::embed {

struct RunFolder {
  model::TrainedModel model;
  std::string folder;       // where the model was found
  std::string checkpoint;   // SHA-256 of its manifest, and so of everything in it
  std::string objective;    // that it was trained for; empty when unknown
  std::string solver;       // that suits it
  bool conditioned = true;  // the field sees dt
};

/// `path` itself when it holds a model, else its subfolder best, else last.
RunFolder open_run(const std::string& path);

}  // namespace cvf::embed

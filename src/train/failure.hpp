// When numbers go wrong: what is known about the step that failed, as a sentence and as a small file that
// reproduces it without the data (`cvf train --replay FILE`).
#pragma once

#include <string>
#include <vector>

#include "data/order.hpp"
#include "model/trained_model.hpp"
#include "objectives/objective.hpp"

namespace cvf::train {

/// One evaluation of an objective: everything that the loss depends on.
struct Scene {
  const model::TrainedModel& model;
  const objectives::Objective& objective;
  const objectives::Batch& batch;
  const objectives::Draws& draws;
  std::int64_t member = 0;  // of the model

  fields::VelocityField& field() const { return model.field->member(member); }
};

/// The first place where a number is not finite: a state of the batch, a layer of the field, the loss, or the
/// gradient of a parameter, "nowhere" if all is well. Evaluates the scene with the composed operations.
std::string first_non_finite(const Scene& scene);

/// Writes DIR/failure-step-N.safetensors with weights, statistics, batch, draws and the configuration.
std::string save_scene(const Scene& scene, const std::string& folder, std::int64_t step,
                       const std::string& samples);

/// "3, 17 (frames 4-5), ...": the rows of a batch, at most eight of them, the broken ones first.
std::string words(const std::vector<data::RowId>& ids);

struct Replay {
  double loss = 0, gradient_norm = 0;
  std::string place;  // first_non_finite
  std::int64_t step = 0;
  std::string samples;
};

/// Evaluates a saved scene again.
Replay replay(const std::string& file);

}  // namespace cvf::train

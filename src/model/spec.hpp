// What a trained model is, in words: everything but the numbers that were learned. Saved as model.toml.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fields/field.hpp"
#include "model/context.hpp"
#include "normalizers/normalizer.hpp"

namespace cvf::model {

/// The states that the model was trained on.
struct StateFacts : StateSpec {
  double dt_ref = 1;      // training frame interval, the unit of the field's step
  double delta_min = 1;   // spacing of the source frames, before down-sampling
  double largest_dt = 1;  // longest step in training: beyond it the field extrapolates
  std::string data_hash;  // of the training data

  void describe(config::Section& section);
};

inline constexpr int most_members = 100;

struct ModelSpec {
  StateFacts state;
  ContextSpec context;
  fields::Choice field = "sit";
  int members = 1;  // fields of this kind, trained together
  std::string normalizer = "cascaded";
  normalizers::Options normalizer_options;
  std::string precision = "float32";
  std::map<std::string, std::string> provenance;  // anything worth knowing later: program, seed, time

  void describe(config::Section& section);
  fields::StateShape shape() const;

  /// Throws a ModelError for what no model can be, e.g. no channels. The settings of the parts are checked
  /// where they are built.
  void check() const;
};

std::string to_toml(ModelSpec spec);
ModelSpec from_toml(std::string_view text, const std::string& name);

}  // namespace cvf::model

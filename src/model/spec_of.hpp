// What a trained model is, in words: everything but the numbers that were learned. Saved as model.toml.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "fields/networks.hpp"
#include "model/context_spec.hpp"
#include "normalizers/kinds.hpp"

namespace cvf::model {

/// The states that the model was trained on.
struct StateFacts : StateSpec {
  double dt_ref = 1;                    // training frame interval, the unit of the field's step
  double delta_min = 1;                 // spacing of the source frames, before down-sampling
  double largest_dt = 1;                // longest step in training: beyond it the field extrapolates
  double usual_dt = 0;                  // longest step that training saw often; 0: largest_dt
  std::string data_hash;                // of the training data
  std::vector<double> lowest, highest;  // of each channel's values in training; empty: not known

  void describe(config::Section& section);

  /// How far a solver goes at once unless it is told. Of uneven times the longest gap may have been seen
  /// once.
  double step_bound() const { return usual_dt > 0 ? usual_dt : largest_dt; }
};

inline constexpr int most_members = 100;

/// Anything worth knowing later: program, seed, time.
using Provenance = std::map<std::string, std::string>;
void describe(Provenance& provenance, config::Section& section);

/// The field is a choice among those that tensors are shown to, or among those of the runtime.
template <class FieldChoice>
struct SpecOf {
  StateFacts state;
  ContextSpec context;
  FieldChoice field = "sit";
  int members = 1;  // fields of this kind, trained together
  std::string normalizer = "cascaded";
  normalizers::Options normalizer_options;
  std::string precision = "float32";
  Provenance provenance;

  void describe(config::Section& section);

  fields::StateShape shape() const {
    fields::StateShape out = fields::shape_of(state, state.dt_ref);
    context.add_to(out);
    return out;
  }

  /// What velocities and the NRE are measured by: 1 for models from before normalizers had a relative
  /// epsilon.
  double time_unit() const { return normalizer_options.relative_epsilon > 0 ? state.dt_ref : 1; }

  normalizers::Options normalizer_settings() const {
    normalizers::Options out = normalizer_options;
    out.time_unit = time_unit();
    return out;
  }

  /// Throws a ModelError for what no model can be, e.g. no channels. The settings of the parts are checked
  /// where they are built.
  void check() const;
};

/// A ConfigError where so many numbers are more than the memory holds.
void refuse_beyond_memory(std::string_view field, double values, std::string_view precision);

/// A ModelError for states, or a history, that no model can have.
void check(const StateFacts& state, const Provenance& provenance);

/// Runs `read`; whatever it throws becomes a ModelError that names the file.
void reading_spec(const std::string& name, const std::function<void()>& read);

/// A model.toml, with what older ones meant without a key for it.
config::Document spec_document(std::string_view text, const std::string& name);

template <class FieldChoice>
void SpecOf<FieldChoice>::describe(config::Section& s) {
  s.key("precision", &precision, "type of the weights", config::one_of({"float32", "float64"}));
  s.key("members", &members, "fields that were trained together; a model without this key has one",
        config::between(1, most_members));
  model::describe(provenance, s);
  s.table("state", "what the model was trained on", [this](config::Section& t) { state.describe(t); });
  s.table("context", "what its states move under", [this](config::Section& t) { context.describe(t); });
  s.table("field", "the velocity field", [this](config::Section& t) { field.describe(t); });
  s.table("normalizer", "between physical and model units", [this](config::Section& t) {
    const auto& kinds = normalizers::kind_names;
    t.key("name", &normalizer, "which normalizer", config::one_of({kinds.begin(), kinds.end()}));
    normalizer_options.describe(t);
  });
}

template <class FieldChoice>
void SpecOf<FieldChoice>::check() const {
  model::check(state, provenance);
  context.check();
}

template <class Spec>
Spec spec_from_toml(std::string_view text, const std::string& name) {
  Spec spec;
  reading_spec(name, [&] {
    spec_document(text, name).read([&spec](config::Section& s) { spec.describe(s); });
    spec.check();
  });
  return spec;
}

}  // namespace cvf::model

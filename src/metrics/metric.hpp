// A metric compares predictions with the truth, frame by frame, in physical units. It keeps a few numbers for
// each (frame, sample), so a long rollout streams through it, parts measured apart can be merged, and the
// result does not depend on batches or order: sums run over frames and samples in their order, in double.
//
// Adding a metric is one class with two short functions and a row in registry.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state_spec.hpp"
#include "core/torch.hpp"
#include "metrics/definitions.hpp"

namespace cvf::metrics {

/// One frame of B samples. Frame 0 is where the prediction starts: it is never scored.
struct Frame {
  torch::Tensor prediction, truth;    // [B,C], [B,C,W] or [B,C,H,W]
  std::int64_t index = 0;             // of the frame in its trajectory
  std::vector<std::int64_t> samples;  // B names
  std::vector<double> times;          // B, since frame 0; empty: the frame's index stands for its time
  std::vector<double> evaluations;    // B, calls of psi spent on this frame; empty: not counted
  double seconds = -1;                // wall clock spent on these B samples; below 0: not measured
};

/// What is known about the data.
struct Setting {
  std::string system = {};  // a name of the systems' table, or empty
  StateSpec state = {};     // where a spacing is not known, it is taken as 1
  using Parameters = std::map<std::string, double>;
  Parameters parameters = {};  // of the system ("gamma", "c", ...); what is not given has its default
  std::map<std::int64_t, Parameters> of_sample = {};  // where those of a sample differ, by its name
};

/// The numbers kept for each frame and sample.
using Numbers = std::vector<double>;
using Rows = std::map<std::int64_t, std::map<std::int64_t, Numbers>>;  // frame -> sample -> numbers

struct Summary {
  std::optional<double> value;                             // none: there was nothing to measure
  bool lower_bound = false;                                // the true value is at least this
  std::vector<std::pair<std::string, double>> parts;       // named values behind it
  std::vector<std::pair<std::int64_t, double>> per_frame;  // (frame, value)
};

class Metric {
 public:
  virtual ~Metric() = default;
  /// [B,N] in double, of finite prediction and truth in double; undefined when this frame has nothing to
  /// measure.
  virtual torch::Tensor measure(const Frame& frame) const = 0;
  virtual Summary summarise(const Rows& rows) const = 0;
};

struct Row : Definition {
  std::unique_ptr<Metric> (*make)(const Setting& setting);  // null: derived from others, as cped is
};

/// Every metric (registry.cpp).
std::span<const Row> registry();

/// "0.01234", and "-" where there is no value.
std::string text(const std::optional<double>& value);

}  // namespace cvf::metrics

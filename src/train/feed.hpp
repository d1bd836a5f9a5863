// From the loader to the objective: batches of physical frames as tensors, with the spline derivatives that
// some objectives regress.
#pragma once

#include <memory>

#include "data/loader.hpp"
#include "model/trained_model.hpp"
#include "objectives/objective.hpp"

namespace cvf::train {

/// Consecutive frames of B trajectories in physical units. They live in the loader's memory: use them up
/// before the next batch is taken.
struct LocalBatch {
  data::Cursor cursor;
  std::vector<data::RowId> ids;
  std::vector<normalizers::Physical> frames;  // each [B,C,...]
  torch::Tensor steps;                        // [frames-1, B] double
  std::vector<normalizers::Physical> slopes;  // ds/dt of the spline at frames 0 and 1, per derivative_unit
  std::vector<normalizers::Physical> curvatures;  // d2s/dt2, of the quintic spline only, likewise
  double derivative_unit = 1;                     // of time in the derivatives
  torch::Tensor times;                            // [frames, B] double
  std::vector<SampleContextPointer> contexts;     // B, null where there are none

  normalizers::Physical secant() const {
    return normalizers::secant(frames[0], frames[1], steps[0].to(frames[0].value));
  }
};

class Feed {
 public:
  /// Derivatives are kept in float per power of two of about `frame_interval`: in any unit of time they are
  /// then of the states' order, and rounded alike.
  Feed(std::shared_ptr<const data::Source> source, std::vector<std::size_t> samples,
       const data::DownsamplingOptions& downsampling, data::LoaderOptions options,
       const objectives::Needs& needs, double frame_interval, std::uint64_t seed, data::Shard shard);

  /// The next batch of this rank; the one before is given back to the loader. Null when `give_up` became true
  /// while it waited.
  const LocalBatch* next(const std::function<bool()>& give_up = {});

  data::Loader& loader() { return loader_; }

 private:
  objectives::Spline spline_;
  double derivative_unit_;
  data::Loader loader_;
  std::vector<std::int64_t> frame_shape_;  // C or C,H,W
  std::unique_ptr<data::Batch> batch_;
  LocalBatch local_batch_;
};

/// The same in model units, in the type of the field's weights.
objectives::Batch in_model_units(const LocalBatch& local, const model::TrainedModel& model);

}  // namespace cvf::train

#include "train/feed.hpp"

namespace cvf::train {
namespace {

using normalizers::Physical;
using objectives::Spline;
using torch::Tensor;

std::size_t companions_of(Spline spline) {
  return spline == Spline::none ? 0 : (spline == Spline::cubic ? 1 : 2);
}

// Slopes (and curvatures) at the kept frames of a whole trajectory: the spline sees what training sees.
data::Companions derivatives(Spline spline) {
  return {
      companions_of(spline),
      [spline](const data::Trajectory& trajectory, std::size_t frame_size, std::span<float> out) {
        const auto frames = static_cast<std::int64_t>(trajectory.times.size());
        const auto size = static_cast<std::int64_t>(frame_size);
        const Tensor times = torch::tensor(trajectory.times, torch::kDouble).unsqueeze(1);
        const Tensor values = torch::from_blob(const_cast<float*>(trajectory.values.data()), {frames, size});
        const auto knots = objectives::knot_matrices(spline, times);
        const auto put = [&](std::int64_t place, const Tensor& matrix) {
          Tensor into = torch::from_blob(out.data() + place * frames * size, {frames, size});
          into.copy_(torch::mm(matrix[0], values.to(torch::kDouble)));
        };
        put(0, knots.slopes);
        if (spline == Spline::quintic) put(1, knots.curvatures);
      }};
}

data::LoaderOptions with_frames(data::LoaderOptions options, int frames) {
  options.frames_per_row = frames;
  return options;
}

std::vector<std::int64_t> shape_of(const data::Description& d) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(d.channels.size())};
  if (d.ny * d.nx > 1) {
    shape.push_back(static_cast<std::int64_t>(d.ny));
    shape.push_back(static_cast<std::int64_t>(d.nx));
  }
  return shape;
}

}  // namespace

Feed::Feed(std::shared_ptr<const data::Source> source, std::vector<std::size_t> samples,
           const data::DownsamplingOptions& downsampling, data::LoaderOptions options,
           const objectives::Needs& needs, std::uint64_t seed, data::Shard shard)
    : spline_(needs.spline),
      loader_(source, std::move(samples), downsampling, with_frames(std::move(options), needs.frames), seed,
              shard, derivatives(needs.spline)),
      frame_shape_(shape_of(source->description())) {}

const Portion* Feed::next(const std::function<bool()>& give_up) {
  if (batch_) loader_.recycle(std::move(batch_));
  batch_ = loader_.next(give_up);
  if (!batch_) return nullptr;
  const auto rows = static_cast<std::int64_t>(batch_->rows),
             frames = static_cast<std::int64_t>(batch_->frames);
  const auto companions = static_cast<std::int64_t>(companions_of(spline_));
  std::vector<std::int64_t> shape{frames, rows, 1 + companions};
  shape.insert(shape.end(), frame_shape_.begin(), frame_shape_.end());
  const Tensor values = torch::from_blob(batch_->values.data(), shape);

  portion_ = {.cursor = batch_->cursor, .ids = batch_->ids};
  for (std::int64_t f = 0; f < frames; ++f) portion_.frames.push_back({values[f].select(1, 0)});
  for (std::int64_t f = 0; f < 2 && companions > 0; ++f) {
    portion_.slopes.push_back({values[f].select(1, 1)});
    if (companions > 1) portion_.curvatures.push_back({values[f].select(1, 2)});
  }
  portion_.steps = torch::from_blob(batch_->times.data(), {frames, rows}, torch::kDouble).diff(1, 0);
  return &portion_;
}

objectives::Batch in_model_units(const Portion& portion, const normalizers::Normalizer& normalizer,
                                 const torch::TensorOptions& type) {
  objectives::Batch out;
  for (const auto& frame : portion.frames) {
    out.frames.push_back(normalizer.to_model({frame.value.to(type)}));
  }
  for (const auto& slope : portion.slopes)
    out.slopes.push_back(normalizer.rate({slope.value.to(type)}).value);
  for (const auto& bend : portion.curvatures) {
    out.curvatures.push_back(normalizer.rate({bend.value.to(type)}).value);
  }
  out.steps = portion.steps.to(type.device());
  return out;
}

}  // namespace cvf::train

#include "train/feed.hpp"

#include <cmath>
#include <numeric>

namespace cvf::train {
namespace {

using normalizers::Physical;
using objectives::Spline;
using torch::Tensor;

std::size_t derivatives_of(Spline spline) {
  return spline == Spline::none ? 0 : (spline == Spline::cubic ? 1 : 2);
}

// Slopes (and curvatures) at the kept frames of a whole trajectory: the spline sees what training sees.
data::FrameDerivatives derivatives(Spline spline, double unit) {
  return {
      derivatives_of(spline),
      [spline, unit](const data::Trajectory& trajectory, std::size_t frame_size, std::span<float> out) {
        const auto frames = static_cast<std::int64_t>(trajectory.times.size());
        const auto size = static_cast<std::int64_t>(frame_size);
        const Tensor times = torch::tensor(trajectory.times, torch::kDouble).unsqueeze(1);
        const Tensor values = torch::from_blob(const_cast<float*>(trajectory.values.data()), {frames, size});
        const auto knots = objectives::knot_matrices(spline, times);
        const auto put = [&](std::int64_t place, const Tensor& matrix, double scale) {
          Tensor into = torch::from_blob(out.data() + place * frames * size, {frames, size});
          into.copy_(torch::mm(matrix[0], values.to(torch::kDouble)) * scale);
        };
        put(0, knots.slopes, unit);
        if (spline == Spline::quintic) put(1, knots.curvatures, unit * unit);
      }};
}

data::LoaderOptions with_frames(data::LoaderOptions options, int frames) {
  options.frames_per_row = frames;
  return options;
}

// Over each interval, from the file's times: negative steps look back.
void add_contexts(const LocalBatch& local, const model::ContextSpec& spec, const torch::TensorOptions& type,
                  objectives::Batch& out) {
  const auto rows = local.contexts.size();
  const model::Contexts contexts(spec, local.contexts, local.frames[0].value.sizes().slice(2).vec(), type);
  std::vector<std::int64_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t i = 0; i < local.steps.size(0); ++i) {
    const Tensor begin = local.times[i].contiguous(), dt = local.steps[i].contiguous();
    out.contexts.push_back(
        contexts.over(all, {begin.data_ptr<double>(), rows}, {dt.data_ptr<double>(), rows}));
  }
}

}  // namespace

Feed::Feed(std::shared_ptr<const data::Source> source, std::vector<std::size_t> samples,
           const data::DownsamplingOptions& downsampling, data::LoaderOptions options,
           const objectives::Needs& needs, double frame_interval, std::uint64_t seed, data::Shard shard)
    : spline_(needs.spline),
      derivative_unit_(std::exp2(std::round(std::log2(frame_interval)))),
      loader_(source, std::move(samples), downsampling, with_frames(std::move(options), needs.frames), seed,
              shard, derivatives(needs.spline, derivative_unit_)),
      frame_shape_(source->description().state.tensor_sizes()) {}

const LocalBatch* Feed::next(const std::function<bool()>& give_up) {
  if (batch_) loader_.recycle(std::move(batch_));
  batch_ = loader_.next(give_up);
  if (!batch_) return nullptr;
  const auto rows = static_cast<std::int64_t>(batch_->rows),
             frames = static_cast<std::int64_t>(batch_->frames);
  const auto derivatives = static_cast<std::int64_t>(derivatives_of(spline_));
  std::vector<std::int64_t> shape{frames, rows, 1 + derivatives};
  shape.insert(shape.end(), frame_shape_.begin(), frame_shape_.end());
  const Tensor values = torch::from_blob(batch_->values.data(), shape);

  local_batch_ = {.cursor = batch_->cursor, .ids = batch_->ids};
  for (std::int64_t f = 0; f < frames; ++f) local_batch_.frames.push_back({values[f].select(1, 0)});
  for (std::int64_t f = 0; f < 2 && derivatives > 0; ++f) {
    local_batch_.slopes.push_back({values[f].select(1, 1)});
    if (derivatives > 1) local_batch_.curvatures.push_back({values[f].select(1, 2)});
  }
  local_batch_.times = torch::from_blob(batch_->times.data(), {frames, rows}, torch::kDouble);
  local_batch_.steps = local_batch_.times.diff(1, 0);
  local_batch_.contexts = batch_->contexts;
  local_batch_.derivative_unit = derivative_unit_;
  return &local_batch_;
}

objectives::Batch in_model_units(const LocalBatch& local, const model::TrainedModel& model) {
  const auto type = model.field->parameters().front().options().requires_grad(false);
  const auto& normalizer = *model.normalizer;
  objectives::Batch out;
  for (const auto& frame : local.frames) {
    out.frames.push_back(normalizer.to_model({frame.value.to(type)}));
  }
  const double unit = local.derivative_unit;
  for (const auto& slope : local.slopes)
    out.slopes.push_back(normalizer.rate({slope.value.to(type)}).value / unit);
  for (const auto& bend : local.curvatures) {
    out.curvatures.push_back(normalizer.rate({bend.value.to(type)}).value / (unit * unit));
  }
  out.steps = local.steps.to(type.device());
  if (!model.spec.context.empty()) add_contexts(local, model.spec.context, type, out);
  return out;
}

}  // namespace cvf::train

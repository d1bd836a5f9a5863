#include "train/learner.hpp"

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "fields/members.hpp"

namespace cvf::train {

Learner::Learner(const RunOptions& o, const RunData& run_data, ProcessGroup& group)
    : model(model::build(run_data.spec, static_cast<std::uint64_t>(o.seed))),
      objective(o.objective.build()),
      feed(run_data.source, run_data.splits.train, o.downsampling, o.loader, objective->needs(),
           run_data.spec.state.dt_ref, static_cast<std::uint64_t>(o.seed),
           {static_cast<std::size_t>(group.rank()), static_cast<std::size_t>(group.size())}),
      optimizer(*model.field, o.optimizer, o.length.ema_decay),
      seed_(static_cast<std::uint64_t>(o.seed)),
      global_batch_(o.loader.batch),
      accumulate_(o.length.accumulate),
      micro_batch_(o.length.micro_batch > 0 ? o.length.micro_batch
                                            : model.field->micro_batch_rows(objective->needs().evaluations)),
      rate_(o.optimizer.learning_rate),
      group_(group) {}

Numbers Learner::learn(const LocalBatch& local, double progress, bool last) {
  follow_statistics(*model.normalizer, local, group_);
  // A run that began before ranges were kept would have those of its end only.
  if (batches == 0 || !model.spec.state.lowest.empty()) follow_range(model.spec.state, local, group_);
  const auto rows = static_cast<std::int64_t>(local.ids.size());
  ids = local.ids;
  batch = in_model_units(local, model);
  draw(rows, progress);
  Numbers means;
  for (const auto& [begin, end] : micro_batches(rows)) {
    for (std::int64_t m = 0; m < model.field->member_count(); ++m) learn_rows(m, begin, end, means);
    // Ranks must agree, and at the end of a step they do so anyway.
    if ((!last || end < rows) && group_.any(interrupt::requested())) throw Abandoned{};
  }
  ++batches;
  return means;
}

void Learner::draw(std::int64_t rows, double progress) {
  draws.clear();
  for (std::int64_t m = 0; m < model.field->member_count(); ++m) {
    draws.push_back(objective->draw(
        {.seed = fields::member_seed(seed_, m),
         .first_row = static_cast<std::uint64_t>(batches * global_batch_ + group_.rank() * rows),
         .rows = rows,
         .progress = progress}));
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> Learner::micro_batches(std::int64_t rows) const {
  std::int64_t count = micro_batch_ > 0 ? (rows + micro_batch_ - 1) / micro_batch_ : 1;
  for (auto more = count; more < 2 * count;
       ++more) {  // equal ones, where a few more make them so, share buffers
    if (rows % more == 0) {
      count = more;
      break;
    }
  }
  const std::int64_t size = (rows + count - 1) / count;
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (std::int64_t begin = 0; begin < rows; begin += size)
    out.emplace_back(begin, std::min(begin + size, rows));
  return out;
}

// Every part of a loss is a mean over rows, so a batch's is the mean over its micro-batches, each with its
// share. Members have no weights in common: what is told is their mean loss, but each goes down its own.
void Learner::learn_rows(std::int64_t member, std::int64_t begin, std::int64_t end, Numbers& means) {
  const bool all = begin == 0 && end == batch.rows();
  const auto field = scaled_field(member);
  const auto& own = draws[static_cast<std::size_t>(member)];
  const auto losses = all ? objective->loss(field, batch, own)
                          : objective->loss(field, batch.rows(begin, end), own.rows(begin, end));
  const double share = static_cast<double>(end - begin) / static_cast<double>(batch.rows());
  const double total = losses.total.item<double>();
  if (!std::isfinite(total)) throw NotFinite{"the loss is not finite", member};
  (losses.total * (share / accumulate_)).backward();
  if (means.empty()) {
    means.emplace_back("loss", 0);
    for (const auto& [name, part] : losses.parts) means.emplace_back(name, 0);
  }
  const double told = share / static_cast<double>(model.field->member_count());
  means[0].second += told * total;
  for (std::size_t k = 0; k < losses.parts.size(); ++k)
    means[k + 1].second += told * losses.parts[k].second.item<double>();
}

Numbers Learner::gradients(double progress) {
  // A rank that waits for data cannot tell the others that it gave up.
  const auto give_up = [this] { return group_.size() == 1 && interrupt::requested(); };
  Numbers sums;
  for (int i = 0; i < accumulate_; ++i) {
    const LocalBatch* local = feed.next(give_up);
    if (local == nullptr) throw Abandoned{};
    const Numbers means = learn(*local, progress, i + 1 == accumulate_);
    if (i == 0) sums = means;
    for (std::size_t k = 0; i > 0 && k < means.size(); ++k) sums[k].second += means[k].second;
  }
  return sums;
}

StepResult Learner::step(double factor, double progress) {
  optimizer.clear_gradients();
  normalizers::NamedTensors statistics;
  for (const auto& [name, tensor] : model.normalizer->state()) statistics.emplace_back(name, tensor.clone());
  const std::int64_t seen = batches;
  StepResult out;
  try {
    out.losses = gradients(progress);
  } catch (const Abandoned&) {
    model.normalizer->load(statistics);
    batches = seen;
    optimizer.clear_gradients();
    throw;
  }
  group_.average(optimizer.gradients());
  const auto norms = optimizer.gradient_norms();
  for (std::size_t m = 0; m < norms.size(); ++m) {
    if (!std::isfinite(norms[m])) throw NotFinite{"the gradient is not finite", static_cast<std::int64_t>(m)};
    out.norm = std::max(out.norm, norms[m]);
  }
  out.learning_rate = factor * rate_;
  optimizer.step(norms, factor);

  std::vector<double> sums{interrupt::requested() ? 1.0 : 0.0};
  for (const auto& [name, value] : out.losses) sums.push_back(value);
  sums = group_.sum(std::move(sums));
  out.stop = sums[0] > 0;
  for (std::size_t k = 0; k < out.losses.size(); ++k) {
    out.losses[k].second = sums[k + 1] / (accumulate_ * group_.size());
  }
  return out;
}

}  // namespace cvf::train

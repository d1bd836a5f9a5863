#include "train/learner.hpp"

#include <cmath>

#include "train/statistics.hpp"

namespace cvf::train {

Learner::Learner(const RunOptions& o, const Materials& materials, Team& team)
    : model(model::build(materials.recipe, static_cast<std::uint64_t>(o.seed))),
      objective(o.objective_settings->build()),
      feed(materials.source, materials.splits.train, o.downsampling, o.loader, objective->needs(),
           static_cast<std::uint64_t>(o.seed),
           {static_cast<std::size_t>(team.rank()), static_cast<std::size_t>(team.size())}),
      optimizer(*model.field, o.optimizer, o.length.average),
      seed_(static_cast<std::uint64_t>(o.seed)),
      global_batch_(o.loader.batch),
      accumulate_(o.length.accumulate),
      rate_(o.optimizer.rate),
      team_(team) {}

objectives::Losses Learner::learn(const Portion& portion) {
  follow_statistics(*model.normalizer, portion, team_);
  const auto rows = static_cast<std::int64_t>(portion.ids.size());
  ids = portion.ids;
  batch = in_model_units(portion, *model.normalizer, model.field->parameters().front().options());
  draws =
      objective->draw({.seed = seed_,
                       .first_row = static_cast<std::uint64_t>(batches * global_batch_ + team_.rank() * rows),
                       .rows = rows});
  auto losses = objective->loss(view(), batch, draws);
  if (!std::isfinite(losses.total.item<double>())) throw NotFinite{"the loss is not finite"};
  (losses.total / accumulate_).backward();
  ++batches;
  return losses;
}

StepResult Learner::step(double factor, bool wish_to_stop) {
  optimizer.clear_gradients();
  StepResult out;
  for (int i = 0; i < accumulate_; ++i) {
    const auto losses = learn(feed.next());
    if (i == 0) out.losses.emplace_back("loss", 0);
    out.losses[0].second += losses.total.item<double>();
    for (std::size_t k = 0; k < losses.parts.size(); ++k) {
      if (i == 0) out.losses.emplace_back(losses.parts[k].first, 0);
      out.losses[k + 1].second += losses.parts[k].second.item<double>();
    }
  }
  team_.average(optimizer.gradients());
  out.norm = optimizer.gradient_norm();
  if (!std::isfinite(out.norm)) throw NotFinite{"the gradient is not finite"};
  out.rate = factor * rate_;
  optimizer.step(out.norm, factor);

  std::vector<double> sums{wish_to_stop ? 1.0 : 0.0};
  for (const auto& [name, value] : out.losses) sums.push_back(value);
  sums = team_.sum(std::move(sums));
  out.stop = sums[0] > 0;
  for (std::size_t k = 0; k < out.losses.size(); ++k) {
    out.losses[k].second = sums[k + 1] / (accumulate_ * team_.size());
  }
  return out;
}

}  // namespace cvf::train

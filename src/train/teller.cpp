#include "train/teller.hpp"

#include <fmt/format.h>

namespace cvf::train {

Teller::Teller(const std::string& folder, const RunOptions& options, const data::Loader& loader,
               std::int64_t step, std::int64_t steps)
    : options_(options),
      loader_(loader),
      journal_(folder, step, options.log.tensorboard),
      told_step_(step),
      told_wait_(loader.seconds_waited()) {
  if (folder.empty()) return;
  bar_ = std::make_unique<Progress>(options.objective.name, static_cast<std::uint64_t>(steps), "steps",
                                    static_cast<std::uint64_t>(step));
}

double Teller::samples_between(std::int64_t first, std::int64_t last) const {
  return static_cast<double>((last - first) * options_.length.accumulate * options_.loader.batch);
}

void Teller::tell(const StepResult& result, const Position& position, double seconds) {
  const double passed = std::chrono::duration<double>(Clock::now() - told_).count();
  const double rows = samples_between(told_step_, position.step);
  Numbers row{
      {"epoch", static_cast<double>(position.batches) / static_cast<double>(loader_.batches_per_epoch())},
      {"seconds", seconds}};
  row.insert(row.end(), result.losses.begin(), result.losses.end());
  row.emplace_back("gradient_norm", result.norm);
  row.emplace_back("learning_rate", result.learning_rate);
  row.emplace_back("samples_per_s", rows / passed);
  row.emplace_back("wait_share", (loader_.seconds_waited() - told_wait_) / passed);
  journal_.row(position.step, row);
  if (bar_) {
    std::string remark;
    for (const auto& [name, value] : result.losses) remark += fmt::format("{} {:.4g}  ", name, value);
    if (position.best_error >= 0) remark += fmt::format("best {:.4g}  ", position.best_error);
    bar_->remark(fmt::format("{}{:.4g} samples/s", remark, rows / passed));
  }
  told_ = Clock::now();
  told_step_ = position.step;
  told_wait_ = loader_.seconds_waited();
}

void Teller::advance(double seconds) {
  if (!bar_) return;
  if (options_.length.minutes > 0) bar_->limit(60 * options_.length.minutes - seconds);
  bar_->advance();
}

}  // namespace cvf::train

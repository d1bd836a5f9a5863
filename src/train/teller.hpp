// How a run goes, told while it runs: in its journal, and as a line on the terminal.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/log.hpp"
#include "train/checkpoint.hpp"
#include "train/journal.hpp"
#include "train/learner.hpp"

namespace cvf::train {

class Teller {
 public:
  /// Without a folder it tells nothing (ranks but 0).
  Teller(const std::string& folder, const RunOptions& options, const data::Loader& loader, std::int64_t step,
         std::int64_t steps);

  void event(const std::string& kind, std::int64_t step, const Numbers& numbers,
             const std::vector<std::pair<std::string, std::string>>& texts = {}) {
    journal_.event(kind, step, numbers, texts);
  }

  /// The losses of a step, and the speed since the last call.
  void tell(const StepResult& result, const Position& position, double seconds);
  /// `seconds` of training are done: a budget of time bounds what is left.
  void advance(double seconds);

  double samples_between(std::int64_t first, std::int64_t last) const;

 private:
  using Clock = std::chrono::steady_clock;

  const RunOptions& options_;
  const data::Loader& loader_;
  Journal journal_;
  std::unique_ptr<Progress> bar_;
  Clock::time_point told_ = Clock::now();
  std::int64_t told_step_;
  double told_wait_;
};

}  // namespace cvf::train

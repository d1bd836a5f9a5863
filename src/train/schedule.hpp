// The learning rate over a run (method.md section 4), as a factor of the peak rate.
#pragma once

#include "core/config.hpp"

namespace cvf::train {

enum class Schedule {
  paper,    // linear warm-up, linear decay to the floor, constant at the floor
  cosine,   // linear warm-up, half a cosine down to the floor
  constant  // linear warm-up only
};

struct ScheduleOptions {
  Schedule kind = Schedule::paper;
  double warmup = 0.05;  // share of the run
  double decay = 0.75;   // share of the run; paper's only
  double floor = 0.1;    // of the peak rate

  void describe(config::Section& section);
};

/// `progress` is the share of the run that is done after this step, in (0, 1].
double rate_factor(const ScheduleOptions& options, double progress);

}  // namespace cvf::train

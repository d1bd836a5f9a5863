#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cvf::train {

void ScheduleOptions::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Schedule> kinds[]{
      {"paper", Schedule::paper}, {"cosine", Schedule::cosine}, {"constant", Schedule::constant}};
  s.choice<Schedule>("kind", kind, kinds,
                     "paper: linear decay, then constant; cosine: half a cosine; constant: warm-up only");
  s.key("warmup", &warmup, "share of the run in which the rate rises from 0", config::between(0, 1));
  s.key("decay", &decay, "share of the run in which it falls to the floor (paper)", config::between(0, 1));
  s.key("floor", &floor, "lowest rate, as a share of the highest", config::between(0, 1));
}

double rate_factor(const ScheduleOptions& o, double progress) {
  if (progress < o.warmup) return progress / o.warmup;
  const double after = progress - o.warmup;
  switch (o.kind) {
    case Schedule::paper:
      return o.decay > 0 ? 1 - (1 - o.floor) * std::min(1.0, after / o.decay) : o.floor;
    case Schedule::cosine: {
      const double share = o.warmup < 1 ? std::min(1.0, after / (1 - o.warmup)) : 1;
      return o.floor + (1 - o.floor) * 0.5 * (1 + std::cos(std::numbers::pi * share));
    }
    case Schedule::constant:
      break;
  }
  return 1;
}

}  // namespace cvf::train

#include "solvers/solution.hpp"

#include <fmt/format.h>

namespace cvf::solvers {

std::string_view name(Status status) {
  switch (status) {
    case Status::done:
      return "done";
    case Status::at_floor:
      return "at the floor";
    case Status::too_many_probes:
      return "too many probes";
    case Status::too_many_steps:
      return "too many steps";
    case Status::step_underflow:
      return "step underflow";
    case Status::non_finite:
      return "non-finite";
    case Status::outside_training:
      return "outside training";
  }
  return "";
}

std::string sentence(std::int64_t sample, const RowStatus& r) {
  const auto say = [&](const char* what) {
    return fmt::format("sample {}: {} at time {:.6g} with a step of {:.3g}", sample, what, r.time, r.step);
  };
  switch (r.status) {
    case Status::done:
      return fmt::format("sample {}: reached every target", sample);
    case Status::at_floor:
      return say("found no acceptable step and took the best one it may, first");
    case Status::too_many_probes:
      return say("searched too long for a step and took the best one so far, first");
    case Status::too_many_steps:
      return say("gave up after max_steps steps without reaching the next target");
    case Status::step_underflow:
      return say("needs steps too short to change the time,");
    case Status::non_finite:
      return say("the state or its velocity is not finite");
    case Status::outside_training:
      return fmt::format("sample {}: is far outside of what the model was trained on, first at time {:.6g}",
                         sample, r.time);
  }
  return "";
}

}  // namespace cvf::solvers

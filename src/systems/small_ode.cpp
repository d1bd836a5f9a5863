#include "systems/small_ode.hpp"

#include <algorithm>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cvf::systems {
namespace {

using State = std::vector<double>;

constexpr double first_step = 1e-3;  // step control grows it fivefold at a time

bool finite(const State& state) {
  return std::all_of(state.begin(), state.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

double integrate_ode(std::string_view name, const Slope& slope, State state, double tolerance,
                     std::span<const double> times, const FrameSink& sink) {
  namespace odeint = boost::numeric::odeint;
  const auto system = [&](const State& s, State& out, double) { slope(s.data(), out.data()); };
  auto stepper = odeint::make_dense_output(tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
  stepper.initialize(state, 0.0, first_step);
  double steps = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    while (stepper.current_time() < times[i]) {
      try {
        stepper.do_step(system);
      } catch (const odeint::odeint_error&) {
        throw NumericsError("{}: the step size vanishes at time {}", name, stepper.current_time());
      }
      if (!finite(stepper.current_state()))
        throw NumericsError("{}: blows up at {}", name, stepper.current_time());
      ++steps;
    }
    if (times[i] > 0) stepper.calc_state(times[i], state);  // at time 0 no step may have been made yet
    sink(i, state);
  }
  return steps;
}

double integrate_driven(std::string_view name, const DrivenSlope& slope, State state, double tolerance,
                        std::span<const double> times, const Forcing::Values& force, const FrameSink& sink) {
  namespace odeint = boost::numeric::odeint;
  double now = 0, steps = 0, value = force.start;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double begin = now, span = times[i] - begin, from = value, rise = force.frames[i] - from;
    if (span > 0) {
      const auto system = [&](const State& s, State& out, double t) {
        slope(s.data(), from + rise * ((t - begin) / span), out.data());
      };
      try {
        steps += static_cast<double>(odeint::integrate_adaptive(
            odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<State>()), system, state,
            begin, times[i], std::min(span, first_step)));
      } catch (const odeint::odeint_error&) {
        throw NumericsError("{}: the step size vanishes between times {} and {}", name, begin, times[i]);
      }
      if (!finite(state)) throw NumericsError("{}: blows up before {}", name, times[i]);
    }
    now = times[i];
    value = force.frames[i];
    sink(i, state);
  }
  return steps;
}

State draw_state(std::string_view name, std::span<const Range> ranges, const Draw& draw) {
  RandomStream random(draw.seed, fmt::format("{} attempt {}", name, draw.attempt), draw.sample);
  State out;
  for (const auto& range : ranges) out.push_back(random.uniform(range[0], range[1]));
  return out;
}

void check_ode(std::string_view name, GridSize grid, std::span<const Range> ranges) {
  if (grid.nx != 1 || grid.ny != 1) throw ConfigError("{}: has a vector state, so its grid is 1 x 1", name);
  for (const auto& range : ranges) {
    if (range.size() != 2 || !(range[0] <= range[1])) {
      throw ConfigError("{}: a range of initial values must be two numbers, [low, high]", name);
    }
  }
}

}  // namespace cvf::systems

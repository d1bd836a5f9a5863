// Makes a System of a small ordinary differential equation (equations.hpp): initial values uniform in ranges,
// states as vectors, Dormand-Prince 5(4) steps of Boost.odeint with its fourth-order dense output, so the
// steps never depend on which times are asked for. A driven one is integrated from frame to frame, because
// its force has a kink at each.
#pragma once

#include <functional>
#include <utility>

#include "systems/equations.hpp"
#include "systems/forcing.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

using Slope = std::function<void(const double* state, double* out)>;
using DrivenSlope = std::function<void(const double* state, double force, double* out)>;

/// Hands out the state at each of `times`, starting from `state` at time 0; returns the number of steps.
/// `tolerance` is both absolute and relative. NumericsError, naming the equation, if the state blows up.
double integrate_ode(std::string_view name, const Slope& slope, std::vector<double> state, double tolerance,
                     std::span<const double> times, const FrameSink& sink);

/// The same under a force that is known at time 0 and at each of `times`, and linear in between.
double integrate_driven(std::string_view name, const DrivenSlope& slope, std::vector<double> state,
                        double tolerance, std::span<const double> times, const Forcing::Values& force,
                        const FrameSink& sink);

std::vector<double> draw_state(std::string_view name, std::span<const Range> ranges, const Draw& draw);
void check_ode(std::string_view name, GridSize grid, std::span<const Range> ranges);

template <class Equation>
concept Drivable = requires {
  Equation::control;
};

template <class Equation>
class SmallOde : public System {
 public:
  struct Options {
    Equation equation;
    Drawn drawn;
    std::vector<Range> ranges;  // of the initial values
    double tolerance = 1e-10;
    Forcing forcing;

    Options() {
      for (const auto& component : Equation::components) ranges.push_back({component.low, component.high});
      if constexpr (requires { Equation::driven_by_default; }) forcing.kind = Forcing::Kind::sine;
    }

    void describe(config::Section& section) {
      drawn.describe(section, equation);
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        section.key(std::string(Equation::components[i].name) + "_range", &ranges[i],
                    "the initial value is uniform in [low, high]");
      }
      section.key("tolerance", &tolerance, "error of a step, absolute and relative",
                  config::between(1e-14, 1e-2));
      if constexpr (Drivable<Equation>) forcing.describe(section, Equation::control);
    }
  };

  SmallOde(GridSize grid, Options options) : options_(std::move(options)) {
    check_ode(Equation::name, grid, options_.ranges);
    options_.drawn.check(Equation::name);
    if constexpr (Drivable<Equation>) options_.forcing.check(Equation::name, Equation::control);
  }

  StateSpec state() const override {
    std::vector<std::string> channels;
    for (const auto& component : Equation::components) channels.emplace_back(component.name);
    auto out = state_of(channels);
    out.set_names(Role::parameter, options_.drawn.names());
    if constexpr (Drivable<Equation>) {
      if (driven()) out.set_names(Role::control, {std::string(Equation::control)});
    }
    return out;
  }
  std::vector<std::string> scalar_names() const override {
    return joined(options_.drawn.names(), {"solver_steps"});
  }
  std::vector<std::vector<float>> controls(const Draw& draw, std::span<const double> times) const override {
    if (!driven()) return {};
    return {options_.forcing.at(Equation::name, draw, times).frames};
  }

  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override {
    const Equation equation = options_.drawn.draw(Equation::name, options_.equation, draw);
    auto start = draw_state(Equation::name, options_.ranges, draw);
    const double steps = driven() ? drive(equation, std::move(start), times,
                                          options_.forcing.at(Equation::name, draw, times), sink)
                                  : integrate(equation, std::move(start), times, sink);
    return joined(options_.drawn.scalars(equation), {{"solver_steps", steps}});
  }

  bool flow(std::span<const double> state, std::span<const double> times,
            const FrameSink& sink) const override {
    if (driven() || options_.drawn.any()) return false;
    integrate(options_.equation, {state.begin(), state.end()}, times, sink);
    return true;
  }

 private:
  bool driven() const { return options_.forcing.kind != Forcing::Kind::none; }

  double integrate(const Equation& equation, std::vector<double> start, std::span<const double> times,
                   const FrameSink& sink) const {
    const auto slope = [&equation](const double* state, double* out) { equation.slope(state, out); };
    return integrate_ode(Equation::name, slope, std::move(start), options_.tolerance, times, sink);
  }

  double drive(const Equation& equation, std::vector<double> start, std::span<const double> times,
               const Forcing::Values& force, const FrameSink& sink) const {
    const auto slope = [&equation](const double* state, [[maybe_unused]] double value, double* out) {
      equation.slope(state, out);
      if constexpr (Drivable<Equation>) out[Equation::driven] += value;
    };
    return integrate_driven(Equation::name, slope, std::move(start), options_.tolerance, times, force, sink);
  }

  Options options_;
};

}  // namespace cvf::systems

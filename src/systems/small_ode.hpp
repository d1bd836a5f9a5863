// Makes a System of a small ordinary differential equation (equations.hpp): initial values uniform in ranges,
// states as vectors, Dormand-Prince 5(4) steps of Boost.odeint with its fourth-order dense output, so the
// steps never depend on which times are asked for.
#pragma once

#include <functional>
#include <utility>

#include "systems/equations.hpp"
#include "systems/system.hpp"

namespace cvf::systems {

using Slope = std::function<void(const double* state, double* out)>;
using Range = std::vector<double>;  // [low, high]

/// Hands out the state at each of `times`, starting from `state` at time 0; returns the number of steps.
/// `tolerance` is both absolute and relative. NumericsError, naming the equation, if the state blows up.
double integrate_ode(std::string_view name, const Slope& slope, std::vector<double> state, double tolerance,
                     std::span<const double> times, const FrameSink& sink);

std::vector<double> draw_state(std::string_view name, std::span<const Range> ranges, const Draw& draw);
void check_ode(std::string_view name, GridSize grid, std::span<const Range> ranges);

template <class Equation>
class SmallOde : public System {
 public:
  struct Options {
    Equation equation;
    std::vector<Range> ranges;
    double tolerance = 1e-10;

    Options() {
      for (const auto& component : Equation::components) ranges.push_back({component.low, component.high});
    }

    void describe(config::Section& section) {
      equation.describe(section);
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        section.key(std::string(Equation::components[i].name) + "_range", &ranges[i],
                    "the initial value is uniform in [low, high]");
      }
      section.key("tolerance", &tolerance, "error of a step, absolute and relative",
                  config::between(1e-14, 1e-2));
    }
  };

  SmallOde(GridSize grid, Options options) : options_(std::move(options)) {
    check_ode(Equation::name, grid, options_.ranges);
  }

  std::vector<std::string> channels() const override {
    std::vector<std::string> out;
    for (const auto& component : Equation::components) out.emplace_back(component.name);
    return out;
  }
  GridSize grid() const override { return {}; }
  std::vector<double> x() const override { return {}; }
  std::vector<double> y() const override { return {}; }
  std::string boundary() const override { return "none"; }
  std::vector<std::string> scalar_names() const override { return {"solver_steps"}; }

  Scalars simulate(const Draw& draw, std::span<const double> times, const FrameSink& sink) const override {
    return {{"solver_steps", integrate(draw_state(Equation::name, options_.ranges, draw), times, sink)}};
  }

  bool flow(std::span<const double> state, std::span<const double> times,
            const FrameSink& sink) const override {
    integrate({state.begin(), state.end()}, times, sink);
    return true;
  }

 private:
  double integrate(std::vector<double> start, std::span<const double> times, const FrameSink& sink) const {
    const auto slope = [this](const double* state, double* out) { options_.equation.slope(state, out); };
    return integrate_ode(Equation::name, slope, std::move(start), options_.tolerance, times, sink);
  }

  Options options_;
};

}  // namespace cvf::systems

#include "systems/diffusion_reaction.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "systems/grid.hpp"
#include "systems/numpy_legacy.hpp"
#include "systems/random_fields.hpp"

namespace cvf::systems {
namespace {

using Initial = DiffusionReaction::Initial;
constexpr std::array<std::pair<std::string_view, Initial>, 3> initial_words{
    {{"legacy", Initial::legacy}, {"normal", Initial::normal}, {"smooth", Initial::smooth}}};

void check_range(std::string_view name, const std::vector<double>& range) {
  if (range.size() != 2 || !(range[0] < range[1])) {
    throw ConfigError("diffusion_reaction: {} must be two increasing numbers, [low, high]", name);
  }
}

double width_of(const std::vector<double>& range) {
  return range[1] - range[0];
}

// NumPy's generator is seeded with seed + sample; attempt a takes the a-th state that the same generator
// draws.
std::vector<double> legacy_state(const Draw& draw, std::size_t count) {
  NumpyLegacy random(numpy_seed(draw.seed, draw.sample));
  std::vector<double> out(count);
  for (int attempt = 0; attempt <= draw.attempt; ++attempt) {
    std::generate(out.begin(), out.end(), [&] { return random.normal(); });
  }
  return out;
}

std::string stream_name(std::string_view kind, const Draw& draw) {
  return fmt::format("diffusion_reaction {} attempt {}", kind, draw.attempt);
}

std::vector<double> normal_state(const Draw& draw, std::size_t count) {
  RandomStream random(draw.seed, stream_name("normal", draw), draw.sample);
  std::vector<double> out(count);
  std::generate(out.begin(), out.end(), [&] { return random.normal(); });
  return out;
}

}  // namespace

void DiffusionReaction::Options::describe(config::Section& section) {
  drawn.describe(section, equation);
  section.choice<Initial>(
      "initial", initial, initial_words,
      "initial state: legacy (white noise of NumPy's legacy generator, seeded with seed + sample, "
      "as in the public data), normal (white noise), smooth (Gaussian random field)");
  section.key("amplitude", &amplitude, "standard deviation of the initial state", config::at_least(0));
  section.key("correlation_length", &correlation_length, "of the smooth initial state", config::above(0));
  section.key("burn_in", &burn_in, "time that passes before the first frame", config::at_least(0));
  section.key("x_range", &x_range, "the domain, [low, high]");
  section.key("y_range", &y_range, "the domain, [low, high]");
  section.key("rtol", &equation.rtol, "error of a step, relative to the rms of each channel",
              config::at_least(0));
  section.key("atol", &equation.atol, "error of a step, absolute", config::above(0));
}

DiffusionReaction::DiffusionReaction(GridSize grid, Options options)
    : grid_(grid), options_(std::move(options)) {
  if (grid.nx < 2 || grid.ny < 2) throw ConfigError("diffusion_reaction: the grid must be at least 2 x 2");
  options_.drawn.check("diffusion_reaction");
  check_range("x_range", options_.x_range);
  check_range("y_range", options_.y_range);
  const double cell = std::min(width_of(options_.x_range) / grid.nx, width_of(options_.y_range) / grid.ny);
  if (options_.initial == Initial::smooth && options_.correlation_length < cell) {
    throw ConfigError(
        "diffusion_reaction: correlation_length {} is below the cell width {}; white noise is initial = "
        "\"normal\"",
        options_.correlation_length, cell);
  }
}

StateSpec DiffusionReaction::state() const {
  const auto along = [](const char* name, int count, const std::vector<double>& range) {
    return axis_of_cells(name, count, range[0], range[1], Boundary::zero_flux);
  };
  return state_of({"u", "v"},
                  {along("y", grid_.ny, options_.y_range), along("x", grid_.nx, options_.x_range)})
      .set_names(Role::parameter, options_.drawn.names());
}

std::vector<std::string> DiffusionReaction::scalar_names() const {
  return joined(options_.drawn.names(), {"solver_steps", "rejected_steps", "evaluations"});
}

std::vector<double> DiffusionReaction::initial_state(const Draw& draw) const {
  const std::size_t count = 2 * static_cast<std::size_t>(grid_.nx) * grid_.ny;
  std::vector<double> out;
  if (options_.initial == Initial::legacy) out = legacy_state(draw, count);
  if (options_.initial == Initial::normal) out = normal_state(draw, count);
  if (options_.initial == Initial::smooth) {
    for (const auto* channel : {"smooth u", "smooth v"}) {
      RandomStream random(draw.seed, stream_name(channel, draw), draw.sample);
      const auto plane = cosine_field(grid_, width_of(options_.y_range), width_of(options_.x_range),
                                      options_.correlation_length, random);
      out.insert(out.end(), plane.begin(), plane.end());
    }
  }
  for (double& value : out) value *= options_.amplitude;
  return out;
}

FitzHughNagumoSolver DiffusionReaction::solver(const FitzHughNagumo& equation, Flavour flavour) const {
  return {equation, grid_, width_of(options_.y_range) / grid_.ny, width_of(options_.x_range) / grid_.nx,
          flavour};
}

Scalars DiffusionReaction::simulate(const Draw& draw, std::span<const double> times,
                                    const FrameSink& sink) const {
  std::vector<double> shifted(times.begin(), times.end());
  for (double& time : shifted) time += options_.burn_in;
  const FitzHughNagumo equation = options_.drawn.draw("diffusion_reaction", options_.equation, draw);
  const StepCounts counts = solver(equation).run(initial_state(draw), shifted, sink);
  return joined(options_.drawn.scalars(equation), {{"solver_steps", counts.kept},
                                                   {"rejected_steps", counts.rejected},
                                                   {"evaluations", static_cast<double>(counts.evaluations)}});
}

bool DiffusionReaction::flow(std::span<const double> state, std::span<const double> times,
                             const FrameSink& sink) const {
  if (options_.drawn.any()) return false;
  solver().run(state, times, sink);
  return true;
}

}  // namespace cvf::systems

// What a field is trained to satisfy. An objective gets a batch in model units and every random number it
// uses from outside: the same batch and draws give the same losses, whenever and wherever they are computed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "objectives/scaled_field.hpp"
#include "objectives/splines.hpp"

namespace cvf::objectives {

/// Consecutive observed frames of B trajectories. Rows may differ in their steps; a step may be negative.
struct Batch {
  std::vector<normalizers::Model> frames;  // s~0, s~1, ..., each [B,C,...]
  torch::Tensor steps;                     // [frames-1, B] double, physical time between frames
  std::vector<torch::Tensor> slopes;       // ds~/dt of a spline at frames 0 and 1; see splines.hpp
  std::vector<torch::Tensor> curvatures;   // d2s~/dt2 there; of the quintic spline only
  std::vector<fields::Context> contexts;   // over each interval; none: there is no context

  const torch::Tensor& state(std::size_t frame) const { return frames.at(frame).value; }
  torch::Tensor step(std::int64_t interval) const { return steps[interval]; }
  fields::Context context(std::size_t interval) const {
    return contexts.empty() ? fields::Context{} : contexts.at(interval);
  }
  fields::Interval interval(std::size_t number) const {
    return {context(number), steps[static_cast<std::int64_t>(number)]};
  }
  std::int64_t rows() const { return frames.at(0).value.size(0); }
  Batch rows(std::int64_t begin, std::int64_t end) const;
  Batch select(const torch::Tensor& rows) const;  // by number
};

/// The random numbers of one batch, double. Objectives read those that they need.
struct Draws {
  torch::Tensor shares;  // [k-1, B], each column sums to 1: the legs of the rupture, (r, 1-r) for k = 3
  torch::Tensor spans;   // [B] u: the rupture's long side is u*dt; undefined = 1 everywhere
  torch::Tensor points;  // [B] w: where in the interval
  torch::Tensor closed;  // [B] 1 or 0: whether the row has a rupture; undefined = 1 everywhere
  double progress = 1;   // how much of the run is done; no random number, but weights may grow with it

  Draws rows(std::int64_t begin, std::int64_t end) const;
  Draws select(const torch::Tensor& rows) const;  // by number
};

/// Which rows to draw for. A row's numbers depend on the seed and on its own number only, so ranks that share
/// a batch draw what one rank alone would have drawn, and a resumed run what the unbroken run would have.
struct DrawRange {
  std::uint64_t seed = 0;
  std::uint64_t first_row = 0;  // rows that training has seen before these, over all ranks
  std::int64_t rows = 0;
  double progress = 1;  // of the run, 0 to 1
};

struct Losses {
  torch::Tensor total;                                       // scalar, with the weights of its parts
  std::vector<std::pair<std::string, torch::Tensor>> parts;  // unweighted means, in a fixed order

  void add(std::string_view name, double weight, const torch::Tensor& part);
};

/// What a batch must hold, and what field fits.
struct Needs {
  int frames = 2;
  Spline spline = Spline::none;
  bool conditioned = false;  // the field sees dt
  double evaluations = 1;    // of psi with gradients, for each row: what memory and time go by
};

class Objective {
 public:
  virtual ~Objective() = default;

  virtual Needs needs() const = 0;
  virtual Draws draw(const DrawRange& range) const;
  /// Refuses a batch that holds less than needs() says.
  Losses loss(const ScaledField& field, const Batch& batch, const Draws& draws) const;

 protected:
  virtual Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const = 0;
};

using Settings = SettingsOf<std::unique_ptr<Objective>>;

struct Row {
  static constexpr std::string_view kind = "objective";
  std::string_view name;
  std::string_view summary;
  std::string_view default_solver;  // the solver that suits its field: "euler" or "rk4"
  std::unique_ptr<Settings> (*settings)();
};

/// Every objective (objective.cpp).
std::span<const Row> registry();
using Choice = cvf::Choice<registry>;

}  // namespace cvf::objectives

#include "objectives/objective.hpp"

#include "core/errors.hpp"
#include "objectives/default_solver.hpp"

namespace cvf::objectives {
namespace {

void check(const Batch& batch, const Needs& needs) {
  if (std::cmp_less(batch.frames.size(), needs.frames) || batch.steps.size(0) < needs.frames - 1) {
    throw UsageError("this objective needs {} frames a row and the steps between them; the batch has {}",
                     needs.frames, batch.frames.size());
  }
  if (needs.spline != Spline::none && batch.slopes.size() < 2) {
    throw UsageError("this objective needs spline slopes at both ends of the interval; the batch has none");
  }
  if (needs.spline == Spline::quintic && batch.curvatures.size() < 2) {
    throw UsageError("this objective needs the curvatures of a quintic spline; the batch has none");
  }
}

// Some rows of everything: take(tensor, axis of its rows), and the same of contexts.
template <class Take, class TakeContext>
Batch rows_of(const Batch& batch, Take&& take, TakeContext&& take_context) {
  Batch out;
  for (const auto& frame : batch.frames) out.frames.push_back({take(frame.value, 0)});
  out.steps = take(batch.steps, 1);
  for (const auto& slope : batch.slopes) out.slopes.push_back(take(slope, 0));
  for (const auto& curvature : batch.curvatures) out.curvatures.push_back(take(curvature, 0));
  for (const auto& context : batch.contexts) out.contexts.push_back(take_context(context));
  return out;
}

template <class Take>
Draws rows_of(const Draws& draws, Take&& take) {
  return {take(draws.shares, 1), take(draws.spans, 0), take(draws.points, 0), take(draws.closed, 0),
          draws.progress};
}

auto between(std::int64_t begin, std::int64_t end) {
  return [=](const torch::Tensor& t, std::int64_t axis) {
    return t.defined() ? t.narrow(axis, begin, end - begin) : t;
  };
}

auto selected(const torch::Tensor& rows) {
  return [&rows](const torch::Tensor& t, std::int64_t axis) {
    return t.defined() ? t.index_select(axis, rows) : t;
  };
}

}  // namespace

Batch Batch::rows(std::int64_t begin, std::int64_t end) const {
  return rows_of(*this, between(begin, end), [&](const auto& context) { return context.rows(begin, end); });
}

Batch Batch::select(const torch::Tensor& rows) const {
  return rows_of(*this, selected(rows), [&](const auto& context) { return context.select(rows); });
}

Draws Draws::rows(std::int64_t begin, std::int64_t end) const {
  return rows_of(*this, between(begin, end));
}

Draws Draws::select(const torch::Tensor& rows) const {
  return rows_of(*this, selected(rows));
}

void Losses::add(std::string_view name, double weight, const torch::Tensor& part) {
  const torch::Tensor weighted = weight == 1 ? part : weight * part;
  total = total.defined() ? total + weighted : weighted;
  parts.emplace_back(name, part);
}

Draws Objective::draw(const DrawRange&) const {
  return {};
}

Losses Objective::loss(const ScaledField& field, const Batch& batch, const Draws& draws) const {
  check(batch, needs());
  return evaluate(field, batch, draws);
}

// Every objective, each in the file of its name: adding one is a file and a row here.
std::unique_ptr<Settings> cvf_settings();
std::unique_ptr<Settings> sm_settings();
std::unique_ptr<Settings> tm_settings();
std::unique_ptr<Settings> cfm_settings();
std::unique_ptr<Settings> node_settings();
std::unique_ptr<Settings> pushforward_settings();
std::unique_ptr<Settings> osg_settings();

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"cvf", "secants of the data that agree with each other", default_solver("cvf"), cvf_settings},
      {"sm", "the mean velocity of the interval", default_solver("sm"), sm_settings},
      {"tm", "the velocity of a spline through the frames", default_solver("tm"), tm_settings},
      {"cfm", "the secant, at every point of the line between frames", default_solver("cfm"), cfm_settings},
      {"node", "a tangent field, trained through its solver", default_solver("node"), node_settings},
      {"pushforward", "the secant, also from states that the field itself reached",
       default_solver("pushforward"), pushforward_settings},
      {"osg", "displacements over two independent steps that agree with the one over their sum",
       default_solver("osg"), osg_settings},
  };
  return rows;
}

}  // namespace cvf::objectives

#include "objectives/cvf.hpp"

#include "objectives/parts/options.hpp"
#include "objectives/rupture.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

// The ways whose mean velocities R_k compares. With k = 3 and r = shares[0]:
//   forward        R = r psi(s0, r U) + (1-r) psi(s0 + r U den(psi(s0, r U)), (1-r) U) - psi(s0, U)
//   bidirectional  R = r psi(s0, r U) + (1-r) psi(s(U), -(1-r) U)                      - psi(s0, U)
// In general only the last leg differs: it looks back from the end of the long side. That end is the true s1
// where U = dt; where U is shorter nobody observed it, and the long side itself leads there.
struct Ways {
  const View& view;
  const Batch& batch;
  const Draws& draws;
  bool bidirectional;
  bool tangent;

  Tensor dt = batch.step(0);
  Tensor span = draws.spans.defined() ? draws.spans * dt : dt;  // U [B]
  Tensor shortened = (span != dt).nonzero().flatten();          // rows whose long side is not the interval
  std::int64_t legs = draws.shares.defined() ? draws.shares.size(0) : 0;  // 0: no rupture is wanted

  Tensor secant, first_leg, long_side, last_leg, at_rest;  // psi of each, last_leg only where bidirectional

  bool all_whole() const { return shortened.numel() == 0; }
  Tensor back() const { return -draws.shares[legs - 1] * span; }

  // Everything whose state is known beforehand, in one forward pass. Rows with U = dt reuse psi(s0, dt).
  void ask_first() {
    const Tensor& s0 = batch.state(0);
    std::vector<Question> questions{{s0, dt}};
    std::vector<Tensor*> answers{&secant};
    const auto ask = [&](const Tensor& state, const Tensor& step, Tensor& answer) {
      questions.push_back({state, step});
      answers.push_back(&answer);
    };
    Tensor shorter;
    if (legs > 0) ask(s0, draws.shares[0] * span, first_leg);
    if (!all_whole()) ask(s0.index_select(0, shortened), span.index_select(0, shortened), shorter);
    if (legs > 0 && bidirectional && all_whole()) ask(batch.state(1), back(), last_leg);
    if (tangent) ask(s0, torch::zeros_like(dt), at_rest);
    const auto psi = view.psi(questions);
    for (std::size_t i = 0; i < psi.size(); ++i) *answers[i] = psi[i];
    long_side = all_whole() ? secant : secant.index_copy(0, shortened, shorter);
  }

  void ask_back_from_the_ends() {
    const Tensor led = view.advance(batch.state(0), span, long_side);
    const Tensor end = batch.state(1).index_copy(0, shortened, led.index_select(0, shortened));
    last_leg = view.psi(end, back());
  }

  Tensor rupture() {
    if (!bidirectional) return walk(view, batch.state(0), span, draws.shares, first_leg, legs) - long_side;
    if (!last_leg.defined()) ask_back_from_the_ends();
    return walk(view, batch.state(0), span, draws.shares, first_leg, legs - 1) +
           per_row(draws.shares[legs - 1], last_leg) * last_leg - long_side;
  }
};

}  // namespace

void Cvf::Options::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Cut> cuts[]{
      {"uniform", Cut::uniform}, {"beta", Cut::beta}, {"half", Cut::even}};
  static constexpr std::pair<std::string_view, Span> spans[]{{"whole", Span::whole},
                                                             {"scaled", Span::scaled}};
  s.key("lambda", &lambda, "weight of the rupture; 0 leaves it out", config::at_least(0));
  s.table("rupture", "the broken way that must agree with the straight one", [&](config::Section& r) {
    r.key("corners", &corners, "k of R_k: the way has k-1 legs", config::between(3, 64));
    r.choice<Cut>("r", cut, cuts, "law of the legs' shares; beta is Beta(2,2), half is equal legs");
    r.choice<Span>("span", span, spans, "long side: dt (paper), or u*dt with u ~ U(0,1) for some rows");
    r.key("scaled_share", &scaled_share, "probability of such a row", config::between(0, 1));
    r.key("bidirectional", &bidirectional, "the last leg looks back from the end of the long side");
  });
  s.table("tangent", "supervision of psi(s, 0) by a spline's velocity", [&](config::Section& t) {
    describe_spline(t, "spline", tangent, true);
    t.key("weight", &tangent_weight, "weight of that part", config::at_least(0));
  });
}

Needs Cvf::needs() const {
  const bool tangent = options_.tangent != Spline::none, scaled = options_.span == Span::scaled;
  const double rupture =
      options_.lambda == 0 ? 0 : options_.corners - 1 + (scaled ? options_.scaled_share : 0);
  return {2, options_.tangent, true, 1 + rupture + (tangent ? 1 : 0)};
}

Draws Cvf::draw(const DrawRange& range) const {
  Draws out;
  if (options_.lambda == 0) return out;
  out.shares = draw_shares(range, options_.corners - 1, options_.cut);
  if (options_.span == Span::scaled) out.spans = draw_spans(range, options_.scaled_share);
  return out;
}

Losses Cvf::evaluate(const View& view, const Batch& batch, const Draws& draws) const {
  const bool tangent = options_.tangent != Spline::none;
  const Tensor target = view.target(batch.state(0), batch.state(1), batch.step(0));
  Ways ways{view, batch, draws, options_.bidirectional, tangent};
  ways.ask_first();
  Losses out;
  out.add("secant", 1, (ways.secant - target).square().mean());
  if (ways.legs > 0) out.add("rupture", options_.lambda, ways.rupture().square().mean());
  if (tangent) {
    const Tensor velocity = view.normalizer.psi_of(batch.slopes[0]);
    out.add("tangent", options_.tangent_weight, (ways.at_rest - velocity).square().mean());
  }
  return out;
}

}  // namespace cvf::objectives

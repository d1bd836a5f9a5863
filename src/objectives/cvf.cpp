// Consistent vector flow: the secant of the data, and secants that agree with each other (docs/objectives/
// cvf.md), with parts beyond the paper that are off unless asked for.
//   mean (psi(s~0, dt) - v~)^2 + lambda mean R_k(s~0, U)^2 [over a share of the rows]
//     [+ a mean (sum of the legs - v~)^2, where U = dt]
//     [+ p mean (psi(s~', dt') - v~')^2, from the state s~' that the model itself reached after dt]
//     [+ w mean (psi(s~0, 0) - v~_spline)^2]
#include "core/errors.hpp"
#include "objectives/parts/shared.hpp"
#include "objectives/rupture.hpp"

namespace cvf::objectives {
namespace {

using torch::Tensor;

// Which side of the rupture is a target only: gradients flow through the other one.
enum class Held { none, long_side, legs };

// What the other keys are where a run file leaves them out.
enum class Recipe { plus, paper };

class Cvf : public Objective {
 public:
  struct Options {
    static constexpr double plus_rows = 0.25;

    Recipe recipe = Recipe::plus;
    double lambda = 1, lambda_warmup = 0;
    int corners = 3;
    Cut cut = Cut::uniform;
    Span span = Span::scaled;
    double scaled_share = 0.5, shortest = 1.0 / 16;
    double rows = plus_rows;
    bool both_orders = false;
    Held held = Held::none;
    bool bidirectional = false;
    double anchor = 0;
    double push = 0;
    bool push_gradient = false;
    Spline tangent = Spline::none;
    double tangent_weight = 1;

    void describe(config::Section& section);
    bool scales() const { return span != Span::whole; }

   private:
    void follow_recipe();
    Recipe followed_ = Recipe::plus;
  };

  // The ways whose mean velocities R_k compares. With k = 3 and r = shares[0]:
  //   forward        R = r psi(s0, r U) + (1-r) psi(s0 + r U den(psi(s0, r U)), (1-r) U) - psi(s0, U)
  //   bidirectional  R = r psi(s0, r U) + (1-r) psi(s(U), -(1-r) U)                      - psi(s0, U)
  // In general only the last leg differs: it looks back from the end of the long side. That end is the true
  // s1 where U = dt; where U is another nobody observed it, and the long side itself leads there.
  struct Ways {
    const ScaledField& field;
    const Batch& whole;
    const Draws& drawn;
    const Cvf::Options& options;

    ClosedRows closed{whole, drawn, options.rows};
    const Batch& batch = closed.batch;
    const Draws& draws = closed.draws;

    Tensor dt = batch.step(0);
    Tensor span = draws.spans.defined() ? draws.spans * dt : dt;  // U [B]
    Tensor scaled = (span != dt).nonzero().flatten();             // rows whose long side is not the interval
    std::int64_t legs = draws.shares.defined() && !closed.none() ? draws.shares.size(0) : 0;  // 0: no rupture
    std::vector<Tensor> orders = orders_of_legs();
    Place place{batch.interval(0)};
    Tensor start = torch::zeros_like(dt);

    Tensor secant, long_side, last_leg, at_rest;  // psi of each; secant and at_rest of the whole batch
    std::vector<Tensor> first_legs;               // of each order

    bool all_whole() const { return scaled.numel() == 0; }
    fields::Query looking_back(const Tensor& end) const {
      const Tensor back = -draws.shares[legs - 1] * span;
      return {end, back, place.part(span, span + back)};
    }

    std::vector<Tensor> orders_of_legs() const {
      if (legs == 0) return {};
      if (!options.both_orders) return {draws.shares};
      return {draws.shares, draws.shares.flip(0)};
    }

    // Everything whose state is known beforehand, in one forward pass. Rows with U = dt reuse psi(s0, dt).
    void ask_first() {
      const Tensor& s0 = batch.state(0);
      std::vector<fields::Query> queries{{whole.state(0), whole.step(0), whole.context(0)}};
      std::vector<Tensor*> answers{&secant};
      const auto ask = [&](const fields::Query& query, Tensor& answer) {
        queries.push_back(query);
        answers.push_back(&answer);
      };
      const auto from_start = [&](const Tensor& step) {
        return fields::Query{s0, step, place.part(start, step)};
      };
      Tensor of_scaled;
      first_legs.resize(orders.size());
      for (std::size_t i = 0; i < orders.size(); ++i) ask(from_start(orders[i][0] * span), first_legs[i]);
      if (legs > 0 && !all_whole()) {
        const fields::Context over = place.part(start, span).select(scaled);
        ask({s0.index_select(0, scaled), span.index_select(0, scaled), over}, of_scaled);
      }
      if (legs > 0 && options.bidirectional && all_whole()) ask(looking_back(batch.state(1)), last_leg);
      if (options.tangent != Spline::none) {
        const Tensor none = torch::zeros_like(whole.step(0));
        ask({whole.state(0), none, whole.interval(0).part(none, none)}, at_rest);
      }
      const auto psi = field.psi(queries);
      for (std::size_t i = 0; i < psi.size(); ++i) *answers[i] = psi[i];
      long_side = closed.of(secant);
      if (of_scaled.defined()) long_side = long_side.index_copy(0, scaled, of_scaled);
    }

    void ask_back_from_the_ends() {
      const Tensor led = field.advance(batch.state(0), span, long_side);
      const Tensor end = batch.state(1).index_copy(0, scaled, led.index_select(0, scaled));
      last_leg = field.psi(looking_back(end));
    }

    // The mean velocity of the legs, in each order.
    std::vector<Tensor> broken() {
      std::vector<Tensor> out;
      for (std::size_t i = 0; i < orders.size(); ++i) {
        const auto forward = options.bidirectional ? legs - 1 : legs;
        out.push_back(walk(field, batch.state(0), span, orders[i], first_legs[i], forward, place));
      }
      if (options.bidirectional && legs > 0) {
        if (!last_leg.defined()) ask_back_from_the_ends();
        out[0] = out[0] + per_row(draws.shares[legs - 1], last_leg) * last_leg;
      }
      return out;
    }

    Tensor rupture(const std::vector<Tensor>& ways) const {
      if (ways.empty()) return torch::zeros_like(secant.sum());
      const Tensor straight = options.held == Held::long_side ? long_side.detach() : long_side;
      Tensor sum;
      for (const auto& way : ways) {
        const Tensor square =
            closed.mean_square((options.held == Held::legs ? way.detach() : way) - straight);
        sum = sum.defined() ? sum + square : square;
      }
      return sum / static_cast<double>(ways.size());
    }

    // The legs against the data, where somebody observed their end; other rows count as 0.
    Tensor anchored(const std::vector<Tensor>& ways, const Tensor& all_targets) const {
      if (ways.empty()) return torch::zeros_like(secant.sum());
      const Tensor target = closed.of(all_targets);
      const Tensor seen = per_row((span == dt).to(torch::kDouble), target);
      Tensor sum;
      for (const auto& way : ways) {
        const Tensor square = closed.mean_square(seen * (way - target));
        sum = sum.defined() ? sum + square : square;
      }
      return sum / static_cast<double>(ways.size());
    }

    // The next interval, from where the model itself stands after the first.
    Tensor pushed() const {
      const Tensor way = options.push_gradient ? secant : secant.detach();
      const Tensor led = field.advance(whole.state(0), whole.step(0), way);
      const Tensor target = field.target(led, whole.state(2), whole.step(1));
      return (field.psi({led, whole.step(1), whole.context(1)}) - target).square().mean();
    }
  };

  explicit Cvf(const Options& options);

  Needs needs() const override;
  Draws draw(const DrawRange& range) const override;

 protected:
  Losses evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const override;

 private:
  Options options_;
};

// Once: describing again must not undo what was read.
void Cvf::Options::follow_recipe() {
  if (recipe == followed_) return;
  span = recipe == Recipe::paper ? Span::whole : Span::scaled;
  rows = recipe == Recipe::paper ? 1 : plus_rows;
  followed_ = recipe;
}

void Cvf::Options::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Recipe> recipes[]{{"plus", Recipe::plus},
                                                                 {"paper", Recipe::paper}};
  static constexpr std::pair<std::string_view, Cut> cuts[]{
      {"uniform", Cut::uniform}, {"beta", Cut::beta}, {"half", Cut::even}};
  static constexpr std::pair<std::string_view, Span> spans[]{
      {"whole", Span::whole}, {"scaled", Span::scaled}, {"log", Span::log}, {"free", Span::free}};
  static constexpr std::pair<std::string_view, Held> sides[]{
      {"none", Held::none}, {"long", Held::long_side}, {"legs", Held::legs}};
  s.choice<Recipe>("recipe", recipe, recipes,
                   "what the keys below are where they are left out: plus (ruptures at scaled spans, of one "
                   "row in four), or "
                   "as in the paper (at the whole interval, of every row)");
  follow_recipe();
  s.key("lambda", &lambda, "weight of the rupture; 0 leaves it out", config::at_least(0));
  s.key("lambda_warmup", &lambda_warmup, "share of the run over which that weight grows from 0",
        config::between(0, 1));
  s.table("rupture", "the broken way that must agree with the straight one", [&](config::Section& r) {
    r.key("corners", &corners, "k of R_k: the way has k-1 legs", config::between(3, 64));
    r.choice<Cut>("r", cut, cuts, "law of the legs' shares; beta is Beta(2,2), half is equal legs");
    r.choice<Span>("span", span, spans,
                   "long side: dt (paper), or for some rows u*dt with u ~ U(0,1) (scaled), log-uniform down "
                   "to `shortest` (log), or the sum of two independent legs, each up to dt (free)");
    r.key("scaled_share", &scaled_share, "probability of such a row", config::between(0, 1));
    r.key("shortest", &shortest, "smallest u of span = \"log\"", config::between(1e-6, 1));
    describe_closed(r, rows);
    r.key("both_orders", &both_orders, "the legs in both orders, each against the long side");
    r.choice<Held>("stop_gradient", held, sides, "the side that is a target only");
    r.key("bidirectional", &bidirectional, "the last leg looks back from the end of the long side");
  });
  s.key("anchor", &anchor, "weight of the legs against the observed secant; 0 leaves it out",
        config::at_least(0));
  s.table("push", "a second interval, from the state that the model itself reached", [&](config::Section& p) {
    p.key("weight", &push, "weight of that part; 0 leaves it out", config::at_least(0));
    p.key("gradient", &push_gradient, "gradients flow through the first step too");
  });
  s.table("tangent", "supervision of psi(s, 0) by a spline's velocity", [&](config::Section& t) {
    describe_spline(t, "spline", tangent, true);
    t.key("weight", &tangent_weight, "weight of that part", config::at_least(0));
  });
}

Cvf::Cvf(const Options& options) : options_(options) {
  if (options.bidirectional && options.both_orders) {
    throw ConfigError("objective.rupture: bidirectional and both_orders exclude each other; switch one off");
  }
  if (options.span == Span::free && options.corners != 3) {
    throw ConfigError("objective.rupture.corners is {}: span = \"free\" has two legs, so 3", options.corners);
  }
}

Needs Cvf::needs() const {
  const auto& o = options_;
  const bool tangent = o.tangent != Spline::none, push = o.push > 0;
  const double legs = (o.corners - 1) * (o.both_orders ? 2 : 1);
  const double closing = o.rows * (legs + (o.scales() ? o.scaled_share : 0));
  const double rupture = o.lambda == 0 && o.anchor == 0 ? 0 : closing;
  return {push ? 3 : 2, o.tangent, true, 1 + rupture + (tangent ? 1 : 0) + (push ? 1 : 0)};
}

Draws Cvf::draw(const DrawRange& range) const {
  const auto& o = options_;
  Draws out;
  out.progress = range.progress;
  if (o.lambda == 0 && o.anchor == 0) return out;
  out.shares = draw_shares(range, o.corners - 1, o.cut);
  if (o.span == Span::free) {
    std::tie(out.spans, out.shares) = draw_free(range, o.scaled_share, out.shares);
  } else if (o.scales()) {
    out.spans = draw_spans(range, o.scaled_share, o.span == Span::log ? o.shortest : 0);
  }
  out.closed = draw_closed(range, o.rows);
  return out;
}

Losses Cvf::evaluate(const ScaledField& field, const Batch& batch, const Draws& draws) const {
  const auto& o = options_;
  const Tensor target = field.target(batch.state(0), batch.state(1), batch.step(0));
  Ways ways{field, batch, draws, o};
  ways.ask_first();
  Losses out;
  out.add("secant", 1, (ways.secant - target).square().mean());
  if (draws.shares.defined()) {
    const auto broken = ways.broken();
    const double grown = draws.progress < o.lambda_warmup ? draws.progress / o.lambda_warmup : 1;
    if (o.lambda > 0) out.add("rupture", o.lambda * grown, ways.rupture(broken));
    if (o.anchor > 0) out.add("anchor", o.anchor, ways.anchored(broken, target));
  }
  if (o.push > 0) out.add("pushed", o.push, ways.pushed());
  if (o.tangent != Spline::none) {
    const Tensor velocity = field.normalizer.psi_of(batch.slopes[0]);
    out.add("tangent", o.tangent_weight, (ways.at_rest - velocity).square().mean());
  }
  return out;
}

}  // namespace

std::unique_ptr<Settings> cvf_settings() {
  return settings_of<Cvf, Settings>();
}

}  // namespace cvf::objectives

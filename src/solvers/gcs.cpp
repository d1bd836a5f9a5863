// The Greedy Consistency Solver: the field's own rupture chooses the step (docs/solvers/gcs.md). A
// probe of tau compares the straight way with two halves,
//   NRE(s, tau) = |(psi(s, tau/2) + psi(s', tau/2))/2 - psi(s, tau)| / (|psi(s, tau)| + eta),  s' half way,
// and accepts tau when sqrt(delta_min tau / NRE) >= slack tau; otherwise that root is probed next, but
// nothing shorter than delta_min. Psi here is the velocity of the state, den(psi) for a trained field. With a
// tolerance the learned error e(NRE, tau) of the step decides instead: tau is accepted when e <= tolerance;
// where shorter steps would only make more of it on the same way (e / tau rises), the best of those tried is.
#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/scores.hpp"
#include "solvers/solver.hpp"

namespace cvf::solvers {
namespace {

// Times in files are rounded: a step this close to delta_min is delta_min.
constexpr double rounding = 1e-3;

enum class Advance { secant, composed };

struct GcsOptions {
  double delta_min = 0;
  double slack = 0.9;
  double tolerance = 0;
  int max_probes = 32;
  double max_step = -1;
  double warm_start = 0;
  Advance advance = Advance::secant;
  bool probe_floor = false;
  bool literal = false;
  bool dense = true;
  double eta = nre_eta;

  void describe(config::Section& section);
};

class Gcs : public Solver {
 public:
  using Options = GcsOptions;
  // Takes delta_min and max_step from the context where the options leave them open.
  Gcs(const Options& options, const Context& context);

  std::unique_ptr<Stepper> start() const override;
  AtTargets at_targets() const override {
    return options_.dense && options_.max_step > 0 ? AtTargets::evaluate : AtTargets::end_step;
  }
  bool steps_along_secants() const override { return true; }

 private:
  Options options_;
  std::shared_ptr<const StepErrors> errors_;
};

// The step search of gcs, every row in its own: rows that probe and rows that step without a probe share the
// batched calls, so nobody waits for a long search.
class Search : public Stepper {
 public:
  Search(const GcsOptions& options, std::shared_ptr<const StepErrors> errors)
      : options_(options), errors_(std::move(errors)) {}

  void begin(Rows& rows, Evaluator&) override { memory_.assign(rows.size(), {}); }
  void propose(Rows& rows) override;
  void attempt(Rows& rows, Evaluator& velocity) override;
  void judge(Rows& rows) override;
  void resize(Rows& rows) override;
  void pack(std::span<const std::size_t> kept) override;

 private:
  struct Memory {
    double next = 0;       // the step to try; 0: a new search begins
    double last = 0;       // the last accepted step
    int probes = 0;        // of this search
    bool floor = false;    // a cut led to delta_min
    bool probing = false;  // this trial
    // With a tolerance:
    struct {
      double step = 0, error_rate = 0, nre = 0;
    } best = {};                 // of this search, the step with the least error for its length
    bool followed_root = false;  // done once a search
    bool settled = false;        // the best one is to be taken
  };
  double beginning(const Row& row, const Memory& memory) const;
  bool is_short(double step) const;
  void compare(Rows& rows, Evaluator& velocity, const Batch& both, std::span<const std::size_t> probing,
               std::span<const double> steps);
  void judge_probe(Row& row, Memory& memory) const;
  void judge_by_error(Row& row, Memory& memory) const;

  GcsOptions options_;
  std::shared_ptr<const StepErrors> errors_;  // of a tolerance
  std::vector<Memory> memory_;
};

void GcsOptions::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Advance> ways[]{{"secant", Advance::secant},
                                                               {"composed", Advance::composed}};
  s.key("delta_min", &delta_min, "least step; 0: the spacing of the model's source frames",
        config::at_least(0));
  s.key("slack", &slack, "accept tau when the root is at least slack * tau; 1 is the paper's rule",
        config::between(0.1, 1));
  s.key("tolerance", &tolerance,
        "instead accept a step whose error is at most this (RMS, in standard deviations of the state), as "
        "learned "
        "by cvf evaluate RUN --calibrate from its NRE and length; 0: the paper's rule",
        config::at_least(0));
  s.key("max_probes", &max_probes, "then the least step is taken, with a tolerance the best one",
        config::at_least(1));
  s.key("max_step", &max_step,
        "where a search begins at most; 0: at the whole way to the target (paper), "
        "-1: at the longest step that training saw often",
        config::at_least(-1));
  s.key("warm_start", &warm_start, "begin a search at this times the last accepted step; 0: do not",
        config::at_least(0));
  s.choice<Advance>("advance", advance, ways, "along psi(s, tau) (paper), or along its two halves");
  s.key("probe_floor", &probe_floor, "probe a step that was cut to delta_min too, for its NRE");
  s.key("literal", &literal,
        "the algorithm as printed: keeps the last probed step when the next falls below "
        "delta_min, no slack");
  s.key("dense", &dense, dense_meaning);
  s.key("eta", &eta, "keeps the NRE finite where nothing moves; per frame interval of training",
        config::above(0));
}

Gcs::Gcs(const Options& options, const Context& context)
    : options_(options), errors_(options.tolerance > 0 ? context.step_errors : nullptr) {
  if (options.tolerance > 0 && !errors_) {
    throw ConfigError(
        "solver.tolerance = {} needs to know how large the error of a step is, and this checkpoint of the "
        "model has not "
        "learned it; run: cvf evaluate RUN --calibrate",
        options.tolerance);
  }
  if (options_.delta_min == 0) options_.delta_min = context.delta_min;
  if (options_.max_step < 0) options_.max_step = context.largest_step;
  options_.eta /= context.time_unit;
  if (!(options_.delta_min > 0)) {
    throw ConfigError(
        "gcs needs delta_min, the spacing of the source frames, and the model does not tell it");
  }
  if (options_.max_step > 0 && options_.max_step < options_.delta_min) {
    throw ConfigError("gcs: max_step {} is below delta_min {}", options_.max_step, options_.delta_min);
  }
}

std::unique_ptr<Stepper> Gcs::start() const {
  return std::make_unique<Search>(options_, errors_);
}

bool Search::is_short(double step) const {
  return step < (1 - rounding) * options_.delta_min;
}

double Search::beginning(const Row& row, const Memory& memory) const {
  double tau = row.remaining;
  if (options_.max_step > 0) tau = std::min(tau, options_.max_step);
  if (options_.warm_start > 0 && memory.last > 0) tau = std::min(tau, options_.warm_start * memory.last);
  return std::max(tau, std::min(options_.delta_min, row.remaining));
}

void Search::propose(Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows.all[i];
    Memory& m = memory_[i];
    double tau = m.next > 0 ? m.next : beginning(row, m);
    if (tau >= row.remaining - rounding * options_.delta_min) tau = row.remaining;  // leave no crumb
    row.wanted = tau;
    // Shorter than delta_min, or there by a cut: nothing shorter could be taken anyway. With a tolerance a
    // cut may have gone further than it must, so only a probe knows whether it is kept there.
    const bool known = m.settled ? options_.advance == Advance::secant : m.floor && !errors_;
    m.probing = !is_short(tau) && (!known || (options_.probe_floor && !m.settled));
  }
}

// One call for psi(s, tau) of all rows and psi(s, tau/2) of those that probe.
void Search::attempt(Rows& rows, Evaluator& velocity) {
  std::vector<std::size_t> payers(rows.size()), probing;
  Numbers steps(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    payers[i] = i, steps[i] = rows.all[i].signed_step();
    if (memory_[i].probing) probing.push_back(i);
  }
  Numbers dt = steps;
  for (const auto i : probing) {
    payers.push_back(i), dt.push_back(steps[i] / 2);
  }
  const Batch states = probing.empty() ? rows.state : take_rows(*rows.state, payers);
  const Batch both = velocity.ask(states, dt, payers);
  const Batch straight[]{both->narrow(0, rows.size())};
  const double one[]{1};
  rows.candidate->combine(*rows.state, steps, straight, one);
  for (auto& row : rows.all) row.error = NAN;
  if (!probing.empty()) compare(rows, velocity, both, probing, steps);
}

// The second halves, the NRE, and where the composed way leads. `both` holds psi(s, tau) of all rows, then
// psi(s, tau/2) of those that probe.
void Search::compare(Rows& rows, Evaluator& velocity, const Batch& both, std::span<const std::size_t> probing,
                     std::span<const double> steps) {
  const bool everyone = probing.size() == rows.size();
  const Batch start = everyone ? rows.state : take_rows(*rows.state, probing);
  const Batch straight = everyone ? both->narrow(0, probing.size()) : take_rows(*both, probing);
  Numbers halves;
  for (const auto i : probing) halves.push_back(steps[i] / 2);
  const Batch first[]{both->narrow(rows.size(), probing.size())};
  const double one[]{1};
  const Batch middle = start->empty(probing.size());
  middle->combine(*start, halves, first, one);
  const Batch ways[]{first[0], velocity.ask(middle, halves, probing, halves), straight};
  const double rupture[]{0.5, 0.5, -1}, long_side[]{0, 0, 1};
  const Numbers broken = row_squares(ways, rupture), size = row_squares(ways, long_side);
  if (options_.advance == Advance::composed)
    middle->combine(*middle, halves, Batches(ways).subspan(1, 1), one);
  for (std::size_t j = 0; j < probing.size(); ++j) {
    rows.all[probing[j]].error = nre(std::sqrt(broken[j]), std::sqrt(size[j]), options_.eta);
    if (options_.advance == Advance::composed) rows.candidate->copy_row(probing[j], *middle, j);
  }
}

// The step at which an NRE that rises with the length would be delta_min / length.
double root_of(double nre, double step, double delta_min) {
  return std::isfinite(nre) ? std::sqrt(delta_min * step / nre) : 0;
}

// Accepts, or sets the next step of the search. An NRE that is not finite counts as infinite.
void Search::judge_probe(Row& row, Memory& m) const {
  ++m.probes;
  if (errors_) return judge_by_error(row, m);
  const double tau = row.step, delta_min = options_.delta_min;
  const double root = root_of(row.error, tau, delta_min);
  const bool last = options_.literal && root < delta_min && std::isfinite(row.error);
  const double wanted = options_.literal ? tau : options_.slack * tau;
  row.accepted = root >= wanted || last || m.floor || tau <= (1 + rounding) * delta_min;
  if (row.accepted) {
    if (root < wanted) row.worsen(Status::at_floor);
    return;
  }
  m.next = std::max(delta_min, root);
  m.floor = m.next == delta_min;
  if (m.floor || m.probes < options_.max_probes) return;
  m.next = delta_min;
  m.floor = true;
  row.worsen(Status::too_many_probes);
}

// Halves the step until the error of one goes about with its square, which leads a little below the
// tolerance. Once only: where the error hardly falls with the length, that would creep.
void Search::judge_by_error(Row& row, Memory& m) const {
  const double tau = row.step, delta_min = options_.delta_min;
  const double error = std::isfinite(row.error) ? errors_->at(row.error, tau) : INFINITY;
  const double error_rate = error / tau;
  row.accepted = m.settled || error <= options_.tolerance;
  if (m.settled) row.worsen(Status::at_floor);
  if (row.accepted) return;
  const bool better = m.best.step == 0 || error_rate <= m.best.error_rate * (1 + rounding);
  if (better) m.best = {tau, error_rate, row.error};
  const bool least = tau <= (1 + rounding) * delta_min, many = m.probes >= options_.max_probes;
  if (many) row.worsen(Status::too_many_probes);
  m.settled = least || many || (!better && tau <= m.best.step / 2);
  const double root = 0.9 * tau * std::sqrt(options_.tolerance / error);
  const bool follow_root = root > tau / 2 && !m.followed_root;
  m.followed_root = m.followed_root || follow_root;
  m.next = m.settled ? m.best.step : std::max(delta_min, follow_root ? root : tau / 2);
  row.accepted = m.settled && m.best.step == tau;
  if (row.accepted) row.worsen(Status::at_floor);
}

void Search::judge(Rows& rows) {
  const auto finite = rows.candidate->finite_rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows.all[i];
    Memory& m = memory_[i];
    if (m.probing) {
      judge_probe(row, m);
    } else {
      row.accepted = true;
      if (m.settled) row.error = m.best.nre;
      if (m.floor || m.settled) row.worsen(Status::at_floor);
    }
    if (row.accepted && finite[i] == 0) row.stop(Status::non_finite);
  }
}

void Search::resize(Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Memory& m = memory_[i];
    if (!rows.all[i].accepted) continue;
    // A step that was cut to its target says nothing about how long a step could have been.
    const double last = rows.all[i].shortened() ? std::max(m.last, rows.all[i].step) : rows.all[i].step;
    m = {.next = 0, .last = last};
  }
}

void Search::pack(std::span<const std::size_t> kept) {
  if (memory_.empty()) return;
  for (std::size_t i = 0; i < kept.size(); ++i) memory_[i] = memory_[kept[i]];
  memory_.resize(kept.size());
}

}  // namespace

bool gcs_takes(double nre, double step, double delta_min) {
  return step <= (1 + rounding) * delta_min || root_of(nre, step, delta_min) >= GcsOptions().slack * step;
}

std::unique_ptr<Settings> gcs_settings() {
  return settings_of<Gcs, Settings>();
}

}  // namespace cvf::solvers

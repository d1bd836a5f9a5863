#include "solvers/gcs.hpp"

#include "core/errors.hpp"
#include "solvers/parts/search.hpp"

namespace cvf::solvers {

void GcsOptions::describe(config::Section& s) {
  static constexpr std::pair<std::string_view, Advance> ways[]{{"secant", Advance::secant},
                                                               {"composed", Advance::composed}};
  s.key("delta_min", &delta_min, "least step; 0: the spacing of the model's source frames",
        config::at_least(0));
  s.key("slack", &slack, "accept tau when the root is at least slack * tau; 1 is the paper's rule",
        config::between(0.1, 1));
  s.key("max_probes", &max_probes, "then the least step is taken", config::at_least(1));
  s.key("max_step", &max_step,
        "where a search begins at most; 0: at the whole way to the target (paper), "
        "-1: at the model's longest training step",
        config::at_least(-1));
  s.key("warm_start", &warm_start, "begin a search at this times the last accepted step; 0: do not",
        config::at_least(0));
  s.choice<Advance>("advance", advance, ways, "along psi(s, tau) (paper), or along its two halves");
  s.key("probe_floor", &probe_floor, "probe a step that was cut to delta_min too, for its NRE");
  s.key("literal", &literal,
        "the algorithm as printed: keeps the last probed step when the next falls below "
        "delta_min, no slack");
  s.key("eta", &eta, "keeps the NRE finite where nothing moves", config::above(0));
}

Gcs::Gcs(const Options& options, const Context& context) : options_(options) {
  if (options_.delta_min == 0) options_.delta_min = context.delta_min;
  if (options_.max_step < 0) options_.max_step = context.largest_step;
  if (!(options_.delta_min > 0)) {
    throw ConfigError(
        "gcs needs delta_min, the spacing of the source frames, and the model does not tell it");
  }
  if (options_.max_step > 0 && options_.max_step < options_.delta_min) {
    throw ConfigError("gcs: max_step {} is below delta_min {}", options_.max_step, options_.delta_min);
  }
}

std::unique_ptr<Stepper> Gcs::start() const {
  return std::make_unique<Search>(options_);
}

}  // namespace cvf::solvers

#include "metrics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "metrics/trust.hpp"

namespace cvf::metrics {
namespace {

constexpr std::size_t most_ratios = 2000;
constexpr double rounding = 1e-3;  // times in files are rounded

std::string score_words(Signal score) {
  switch (score) {
    case Signal::rupture:
      return fmt::format("sum over the accepted steps so far of max(NRE, {}) * step", least_nre);
    case Signal::step_doubling:
      return "root mean square of the difference from the same way in half steps";
    case Signal::spread:
      return "root mean square of the standard deviation over members";
  }
  return "";
}

void describe_score(Signal& score, config::Section& s) {
  std::string words = score_words(score);
  std::vector<std::string> known;
  for (const Signal one : {Signal::rupture, Signal::step_doubling, Signal::spread})
    known.push_back(score_words(one));
  s.key("score", &words, "what the error is compared with", config::one_of(known));
  for (const Signal one : {Signal::rupture, Signal::step_doubling, Signal::spread}) {
    if (score_words(one) == words) score = one;
  }
}

std::string promise_words() {
  return "error <= factor * shape * score at every frame of a new trajectory; ratios holds the largest error "
         "/ "
         "(shape * score) of each validation trajectory, the factor for a coverage is the ceil((n + 1) "
         "coverage)-th smallest; shape is for horizon/32, /16, ... /1";
}

// The first line in which two tables differ, from both sides.
std::string difference(const std::string& one, const std::string& other) {
  const auto a = text::split(one, '\n'), b = text::split(other, '\n');
  const auto line = [](const auto& lines, std::size_t i) { return i < lines.size() ? lines[i] : ""; };
  std::size_t i = 0;
  while (i < std::min(a.size(), b.size()) && a[i] == b[i]) ++i;
  return fmt::format("'{}', not '{}'", line(a, i), line(b, i));
}

void check(const Calibration& c, const std::string& file) {
  const auto count = static_cast<std::size_t>(c.trajectories);
  if (count == 0 || !(c.horizon > 0) || !(c.longest_interval > 0)) {
    throw ModelError("{}: is damaged: trajectories, horizon or longest_interval is missing", file);
  }
  if (c.ratios.size() != std::min(count, most_ratios)) {
    throw ModelError("{}: is damaged: {} trajectories come with {} ratios", file, count, c.ratios.size());
  }
  const bool sound =
      std::all_of(c.shape.begin(), c.shape.end(), [](double v) { return v > 0 && std::isfinite(v); });
  if (c.shape.size() != octaves || !sound) {
    throw ModelError("{}: is damaged: its shape must be {} positive numbers", file, octaves);
  }
  if (!std::is_sorted(c.ratios.begin(), c.ratios.end())) {
    throw ModelError("{}: is damaged: its ratios are not sorted", file);
  }
  if (!c.bins.sound())
    throw ModelError("{}: is damaged: bins must be {} lists of rising quantiles", file, octaves);
}

}  // namespace

template <class T>
void value_scales(std::span<const T> values, std::size_t cells, T* scales) {
  for (std::size_t first = 0; first < values.size(); first += cells) {
    double squares = 0;
    for (std::size_t i = first; i < first + cells; ++i)
      squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    for (std::size_t i = first; i < first + cells; ++i) {
      const auto own = static_cast<double>(values[i]);
      scales[i] = static_cast<T>(
          cells == 1 ? std::abs(own) : std::sqrt((own * own + squares / static_cast<double>(cells)) / 2));
    }
  }
}

template <class T>
double frame_score(std::span<const T> scales) {
  double sum = 0;
  for (const T value : scales) sum += static_cast<double>(value) * static_cast<double>(value);
  const double square = sum / static_cast<double>(scales.size());
  return std::isfinite(square) ? std::max(std::sqrt(square), least_score) : infinite;
}

template void value_scales<float>(std::span<const float>, std::size_t, float*);
template void value_scales<double>(std::span<const double>, std::size_t, double*);
template double frame_score<float>(std::span<const float>);
template double frame_score<double>(std::span<const double>);

// Of n numbers the ceil(n j / 2000)-th smallest are kept, j = 1, 2, ...
void Calibration::set_ratios(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  trajectories = static_cast<std::int64_t>(all.size());
  const std::size_t kept = std::min(all.size(), most_ratios);
  ratios.clear();
  for (std::size_t j = 1; j <= kept; ++j) ratios.push_back(all[(all.size() * j + kept - 1) / kept - 1]);
}

// The first number kept at or above the rank that is wanted.
double Calibration::factor(double coverage) const {
  const auto count = static_cast<std::size_t>(trajectories);
  const std::size_t rank = conformal_rank(count, coverage);
  if (rank > count) {
    throw UsageError(
        "a coverage of {} needs a calibration on at least {} validation trajectories, and this one has {}",
        coverage, needed_for(coverage), count);
  }
  return ratios[(rank - 1) * ratios.size() / count];
}

std::size_t Calibration::octave(double elapsed) const {
  const double back = std::log2(horizon / elapsed) + rounding;  // 0 at the horizon, 1 at half of it
  const auto last = static_cast<double>(octaves - 1);
  return static_cast<std::size_t>(last - std::clamp(std::floor(back), 0.0, last));
}

double Calibration::shape_at(double elapsed) const {
  return shape.empty() ? 1 : shape[octave(elapsed)];
}

double Calibration::value_factor(double coverage, double elapsed) const {
  if (!bins.known() || elapsed > (1 + rounding) * horizon) return infinite;
  return bins.factor(octave(elapsed), coverage);
}

std::vector<double> Calibration::bars(double factor, const std::vector<double>& doubt,
                                      const std::vector<double>& times) const {
  std::vector<double> out;
  for (std::size_t k = 0; k < doubt.size(); ++k) {
    const double elapsed = times[k] - times[0];
    const bool known = std::isfinite(doubt[k]) && elapsed <= (1 + rounding) * horizon;
    out.push_back(k == 0 ? 0 : known ? factor * shape_at(elapsed) * doubt[k] : infinite);
  }
  return out;
}

std::string Calibration::objection(const std::string& for_checkpoint, const std::string& for_solver) const {
  if (checkpoint != for_checkpoint) return "was made for another checkpoint of this model";
  if (solver != for_solver) return "was made for the solver with " + difference(solver, for_solver);
  return "";
}

std::string Calibration::departure(const std::vector<double>& times) const {
  double shortest = infinite, longest = 0;
  for (std::size_t k = 1; k < times.size(); ++k) {
    shortest = std::min(shortest, times[k] - times[k - 1]);
    longest = std::max(longest, times[k] - times[k - 1]);
  }
  if (shortest < (1 - rounding) * shortest_interval || longest > (1 + rounding) * longest_interval) {
    return fmt::format("frames {:.4g} to {:.4g} apart, not {:.4g} to {:.4g}", shortest, longest,
                       shortest_interval, longest_interval);
  }
  const double whole = times.back() - times.front();
  if (whole <= (1 + rounding) * horizon) return "";
  return fmt::format("a time of {:.4g}, not of {:.4g} at most: there is no error bar beyond", whole, horizon);
}

void Calibration::describe(config::Section& s) {
  std::int64_t format = 1;
  std::string promise = promise_words();
  s.key("format", &format, "of this file", config::between(1, 1));
  describe_score(score, s);
  s.key("promise", &promise, "what a bound means");
  s.key("checkpoint_sha256", &checkpoint, "of the manifest of the model");
  s.key("data_hash", &data_hash, "of the data file");
  s.key("samples", &samples, "the validation samples of that file");
  s.key("solver", &solver, "and its settings");
  s.key("trajectories", &trajectories, "how many", config::at_least(1));
  s.key("unbounded", &unbounded, "of these with frames whose score is not known", config::at_least(0));
  s.key("horizon", &horizon, "longest time from a given frame to a last one", config::above(0));
  s.key("shortest_interval", &shortest_interval, "between frames", config::above(0));
  s.key("longest_interval", &longest_interval, "between frames", config::above(0));
  s.key("shape", &shape, "of error / score over time, from training samples");
  s.key("ratios", &ratios, "of each trajectory, sorted; of more than 2000, quantiles", config::at_least(0));
  s.table("bins", "error / score of single values (of frames, for the sum of NRE * step), by lead time",
          [this](config::Section& t) { bins.describe(t); });
}

std::string calibration_file(const std::string& model_folder) {
  std::filesystem::path tidy = std::filesystem::absolute(model_folder).lexically_normal();
  if (!tidy.has_filename()) tidy = tidy.parent_path();  // "model/" is "model"
  return tidy.string() + ".calibration.toml";
}

void save(Calibration calibration, const std::string& file) {
  files::write_atomically(file, config::write([&](config::Section& s) { calibration.describe(s); }));
}

Calibration load_calibration(const std::string& file) {
  try {
    Calibration out;
    config::Document::from_file(file).read([&out](config::Section& s) { out.describe(s); });
    check(out, file);
    return out;
  } catch (const ConfigError& error) {
    throw ModelError("{}", error.what());  // names the file already
  }
}

}  // namespace cvf::metrics

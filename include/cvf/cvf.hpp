// The C interface of libcvf (cvf.h) as a C++ class. This header is all there is to it: nothing but C
// functions crosses the border of the library, so any C++20 compiler will do.
//
//   auto model = cvf::Surrogate::load("runs/mine", {"solver.name=gcs"});   // which judges its steps
//   std::vector<double> states = ...;                        // [batch][channel][y][x], or float
//   const auto results = model.advance<double>(states, std::vector(batch, 0.1));   // in place
//   if (!results[0].reached || !(results[0].largest_error <= 0.2)) ...   // ask the expensive solver instead
//
// Misuse throws a SurrogateError of one sentence. A state that goes wrong numerically is no exception: its
// result was not `reached`, and the state is as it was.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cvf/cvf.h"

namespace cvf {

class SurrogateError : public std::runtime_error {
 public:
  SurrogateError(int code, const char* sentence) : std::runtime_error(sentence), code_(code) {}
  int code() const { return code_; }  // a cvf_code

 private:
  int code_;
};

namespace detail {

/// A state that was not reached is told by its result.
inline void check(int code) {
  if (code != CVF_OK && code != CVF_NUMERICS) throw SurrogateError(code, cvf_message());
}

template <class T>
constexpr bool is_double = std::is_same_v<T, double>;

}  // namespace detail

/// How a forecast went.
class Trace {
 public:
  explicit Trace(cvf_trace* trace) : trace_(trace) {}

  cvf_result result(std::size_t sample) const {
    cvf_result out;
    detail::check(cvf_trace_result(trace_.get(), sample, &out));
    return out;
  }
  /// On the interval that leads to one target.
  cvf_result result(std::size_t sample, std::size_t target) const {
    cvf_result out;
    detail::check(cvf_trace_target(trace_.get(), sample, target, &out));
    return out;
  }
  std::string message(std::size_t sample) const { return cvf_trace_message(trace_.get(), sample); }
  std::span<const cvf_accepted_step> steps(std::size_t sample) const {
    const cvf_accepted_step* first = nullptr;
    std::size_t count = 0;
    detail::check(cvf_trace_steps(trace_.get(), sample, &first, &count));
    return {first, count};
  }
  /// The largest NRE on the way to each of the sample's `targets` targets; see cvf_trace_nre.
  std::vector<double> nre(std::size_t sample, std::size_t targets) const {
    std::vector<double> out(targets);
    detail::check(cvf_trace_nre(trace_.get(), sample, out.data()));
    return out;
  }
  /// Of the sample's `targets` targets.
  std::vector<double> error_bars(std::size_t sample, double coverage, std::size_t targets) const {
    std::vector<double> out(targets);
    detail::check(cvf_trace_error_bars(trace_.get(), sample, coverage, out.data()));
    return out;
  }

 private:
  struct Free {
    void operator()(cvf_trace* trace) const { cvf_trace_free(trace); }
  };
  std::unique_ptr<cvf_trace, Free> trace_;
};

template <class T>
struct Forecast {
  std::vector<T> states;  // [batch][times][state_size], NaN where not reached
  Trace trace;
  std::vector<T> spread = {};  // of several members, whose mean the states are; as large, else empty
};

/// T is float or double. The batch is as long as `dt`, or as the states.
class Surrogate {
 public:
  static Surrogate load(const std::string& folder, const std::vector<std::string>& settings = {}) {
    std::vector<const char*> words;
    for (const auto& setting : settings) words.push_back(setting.c_str());
    cvf_model* model = nullptr;
    detail::check(cvf_model_load(folder.c_str(), words.data(), words.size(), &model));
    return Surrogate(model);
  }
  Surrogate on_grid(std::int64_t ny, std::int64_t nx, double dy = 0, double dx = 0) const {
    cvf_model* model = nullptr;
    detail::check(cvf_model_on_grid(model_.get(), ny, nx, dy, dx, &model));
    return Surrogate(model);
  }
  void use_threads(int count) { detail::check(cvf_model_set_threads(model_.get(), count)); }

  cvf_description describe() const {
    cvf_description out;
    detail::check(cvf_model_describe(model_.get(), &out));
    return out;
  }
  std::vector<std::string> names(cvf_names which) const {
    std::vector<std::string> out;
    while (const char* name = cvf_model_name(model_.get(), which, out.size())) out.emplace_back(name);
    return out;
  }
  std::vector<std::string> channels() const { return names(CVF_CHANNELS); }
  std::size_t state_size() const { return size_; }
  std::size_t members() const { return static_cast<std::size_t>(cvf_model_members(model_.get())); }

  /// One evaluation each; nobody checks it.
  template <class T>
  std::vector<cvf_result> step(std::span<T> states, std::span<const double> dt,
                               const cvf_conditions* conditions = nullptr) const {
    std::vector<cvf_result> out(rows(states.size(), dt.size()));
    if constexpr (detail::is_double<T>) {
      detail::check(cvf_step(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    } else {
      detail::check(cvf_step_f32(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    }
    return out;
  }

  /// In as many steps as the solver finds right.
  template <class T>
  std::vector<cvf_result> advance(std::span<T> states, std::span<const double> dt,
                                  const cvf_conditions* conditions = nullptr) const {
    std::vector<cvf_result> out(rows(states.size(), dt.size()));
    if constexpr (detail::is_double<T>) {
      detail::check(cvf_advance(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    } else {
      detail::check(
          cvf_advance_f32(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    }
    return out;
  }

  template <class T>
  std::vector<double> nre(std::span<const T> states, std::span<const double> dt,
                          const cvf_conditions* conditions = nullptr) const {
    std::vector<double> out(rows(states.size(), dt.size()));
    if constexpr (detail::is_double<T>) {
      detail::check(cvf_nre(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    } else {
      detail::check(cvf_nre_f32(model_.get(), dt.size(), states.data(), dt.data(), conditions, out.data()));
    }
    return out;
  }

  /// All states through the same times in one solve.
  template <class T>
  Forecast<T> forecast(std::span<const T> states, std::span<const double> times,
                       const cvf_conditions* conditions = nullptr) const {
    const std::size_t batch = states.size() / size_;
    std::vector<T> out(rows(states.size(), batch) * times.size() * size_), spread;
    if (members() > 1) spread.resize(out.size());
    T* const beside = spread.empty() ? nullptr : spread.data();
    cvf_trace* trace = nullptr;
    if constexpr (detail::is_double<T>) {
      detail::check(cvf_forecast_spread(model_.get(), batch, states.data(), times.data(), 1, times.size(),
                                        conditions, out.data(), beside, &trace));
    } else {
      detail::check(cvf_forecast_spread_f32(model_.get(), batch, states.data(), times.data(), 1, times.size(),
                                            conditions, out.data(), beside, &trace));
    }
    return {std::move(out), Trace(trace), std::move(spread)};
  }

  /// Error bars of single values, from the spread of states that are so long after their start each.
  template <class T>
  std::vector<T> value_bars(std::span<const T> spread, std::span<const double> lead_times,
                            double coverage) const {
    std::vector<T> out(rows(spread.size(), lead_times.size()) * size_);
    if constexpr (detail::is_double<T>) {
      detail::check(cvf_value_bars(model_.get(), lead_times.size(), spread.data(), lead_times.data(),
                                   coverage, out.data()));
    } else {
      detail::check(cvf_value_bars_f32(model_.get(), lead_times.size(), spread.data(), lead_times.data(),
                                       coverage, out.data()));
    }
    return out;
  }

 private:
  explicit Surrogate(cvf_model* model)
      : model_(model), size_(static_cast<std::size_t>(describe().state_values)) {}

  std::size_t rows(std::size_t values, std::size_t batch) const {
    if (values == batch * size_) return batch;
    const std::string sentence = std::to_string(values) + " values are not " + std::to_string(batch) +
                                 " states of " + std::to_string(size_);
    throw SurrogateError(CVF_USAGE, sentence.c_str());
  }

  struct Free {
    void operator()(cvf_model* model) const { cvf_model_free(model); }
  };
  std::unique_ptr<cvf_model, Free> model_;
  std::size_t size_;
};

}  // namespace cvf

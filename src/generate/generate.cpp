#include "generate/generate.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"
#include "data/convert.hpp"
#include "data/groups_format.hpp"
#include "data/groups_writer.hpp"

namespace cvf::generate {
namespace {

constexpr int most_attempts = 5;
constexpr const char* kept = "finished samples are kept: the same command continues";

systems::GridSize grid_of(const std::string& text, const systems::Row& row) {
  if (text.empty()) return row.grid;
  if (row.grid.nx * row.grid.ny == 1)
    throw ConfigError("grid = {}: {} has a vector state and no grid", text, row.name);
  const auto parts = text::split(text, 'x');
  const bool line = row.grid.ny == 1;
  const std::int64_t nx = text::to_integer(parts.front(), "grid");
  const std::int64_t ny = parts.size() > 1 ? text::to_integer(parts[1], "grid") : line ? 1 : nx;
  const auto fits = [](std::int64_t n) { return n >= 4 && n <= 16384; };
  if (line && (parts.size() > 2 || ny != 1 || !fits(nx)))
    throw ConfigError("grid = {}: {} is on a line: write 64, between 4 and 16384", text, row.name);
  if (!line && (parts.size() > 2 || !fits(nx) || !fits(ny))) {
    throw ConfigError("grid = {}: write 64 or 64x96 (columns x rows), each between 4 and 16384", text);
  }
  return {.ny = static_cast<int>(ny), .nx = static_cast<int>(nx)};
}

data::GroupsPlan plan_for(Options& options, const systems::System& system) {
  data::GroupsPlan plan;
  plan.state = system.state();
  plan.scalar_names = system.scalar_names();
  plan.scalar_names.emplace_back("attempt");
  for (std::int64_t i = 0; i < options.samples; ++i) {
    if (i % 1024 == 1023) interrupt::throw_if_requested("nothing was begun");
    plan.times.push_back(times_of(options, static_cast<std::size_t>(i)));
  }
  plan.attributes = {
      {"system", options.system},
      {"seed", fmt::format("{}", options.seed)},
      {"random", "Philox4x32-10 streams by (seed, name, sample); initial = legacy: NumPy's MT19937"},
      {"config", config::write([&](config::Section& s) { options.describe(s); })}};
  return plan;
}

void foresee_file(const Options& options, const systems::System& system, const std::string& path) {
  const auto frames = static_cast<double>(frames_of(options));
  const auto samples = static_cast<double>(options.samples);
  const StateSpec state = system.state();
  const auto cells = static_cast<double>(state.cells());
  const auto count = [&state](Role role) { return static_cast<double>(state.count(role)); };
  data::check_resources(path,
                        {.samples = samples,
                         .frames = samples * frames,
                         .frame_values = count(Role::state) * cells,
                         .sample_values = count(Role::static_field) * cells + count(Role::control) * frames});
}

// Keys that a file made earlier does not name have their defaults.
std::string completed(const std::string& config) {
  try {
    Options options;
    const auto describe = [&options](config::Section& s) { options.describe(s); };
    config::Document::from_text(config, "config").read(describe);
    return config::write(describe);
  } catch (const Error&) {
    return config;
  }
}

void require_same(const std::string& path, const data::GroupsPlan& plan) {
  const auto source = data::open(path);
  auto found = source->description().attributes;
  if (found.contains("config")) found["config"] = completed(found["config"]);
  for (const auto& [name, value] : plan.attributes) {
    if (!found.contains(name) || found.at(name).empty() ||
        !value.starts_with(found.at(name)))  // long ones are cut
      throw DataError("{}: exists already, and was made with other settings ({}); choose another name", path,
                      name);
  }
}

struct NonFinite {
  std::size_t frame;
};

/// One thread's view of the job: turns planes of doubles into frames of floats and puts them into the file.
class SampleWriter {
 public:
  SampleWriter(data::GroupsWriter& writer, std::size_t sample)
      : writer_(writer), sample_(sample), values_(writer.plan().frame_size()) {}

  void operator()(std::size_t frame, std::span<const double> planes) {
    interrupt::throw_if_requested(kept);
    const std::size_t channels = writer_.plan().state.count(Role::state), cells = planes.size() / channels;
    bool finite = true;
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < cells; ++i) {
        const auto value = static_cast<float>(planes[c * cells + i]);
        finite = finite && std::isfinite(value);
        values_[i * channels + c] = value;
      }
    }
    if (!finite) throw NonFinite{frame};
    writer_.write_frame(sample_, frame, values_);
  }

 private:
  data::GroupsWriter& writer_;
  std::size_t sample_;
  std::vector<float> values_;
};

// Returns the number of draws that were thrown away.
int make_sample(const systems::System& system, std::uint64_t seed, std::size_t sample,
                data::GroupsWriter& writer) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    try {
      const systems::Draw draw{seed, sample, attempt};
      const auto& times = writer.plan().times[sample];
      const systems::Scalars scalars = system.simulate(draw, times, SampleWriter(writer, sample));
      std::vector<double> values;
      for (const auto& [name, value] : scalars) values.push_back(value);
      values.push_back(attempt);
      writer.write_scalars(sample, values);
      const auto statics = system.statics(draw), controls = system.controls(draw, times);
      for (std::size_t i = 0; i < statics.size(); ++i) writer.write_static(sample, i, statics[i]);
      for (std::size_t i = 0; i < controls.size(); ++i) writer.write_control(sample, i, controls[i]);
      writer.finish_sample(sample);
      return attempt;
    } catch (const NonFinite& fault) {
      log::note("sample {}: not finite in frame {}; drawn anew (attempt {})", sample, fault.frame,
                attempt + 1);
    }
  }
  throw NumericsError(
      "sample {}: {} draws in a row went non-finite; milder parameters or a finer grid would help", sample,
      most_attempts);
}

}  // namespace

std::unique_ptr<systems::System> system_of(Options& options) {
  const systems::Row& row = find(systems::registry(), options.system, "system");
  if (!options.settings) options.settings = row.settings();
  return options.settings->build(grid_of(options.grid, row));
}

Outcome generate(Options& options, const std::string& path, Existing existing) {
  const auto start = std::chrono::steady_clock::now();
  const auto system = system_of(options);
  foresee_file(options, *system, path);
  data::GroupsPlan plan = plan_for(options, *system);
  Outcome outcome{static_cast<std::size_t>(options.samples), 0, 0, 0};
  const WriterLock lock(path);
  if (existing == Existing::kept && std::filesystem::exists(path)) {
    require_same(path, plan);
    log::note("{}: is there already, made with the same settings", path);
    return outcome;
  }
  data::GroupsWriter writer(path, std::move(plan));
  const std::size_t before = writer.completed();
  if (before > 0) log::note("{}: continuing, {} of {} samples are there", path, before, options.samples);
  {
    Progress progress("generating", outcome.samples, "samples", before);
    std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t sample = 0; sample < outcome.samples; ++sample) {
      if (writer.complete(sample) || interrupt::requested() || failure) continue;
      try {
        const int redrawn = make_sample(*system, static_cast<std::uint64_t>(options.seed), sample, writer);
#pragma omp atomic
        outcome.redrawn += static_cast<std::size_t>(redrawn);
#pragma omp atomic
        ++outcome.simulated;
        progress.advance();
      } catch (...) {
#pragma omp critical
        failure = std::current_exception();
      }
    }
    writer.flush();
    if (failure) std::rethrow_exception(failure);
  }
  interrupt::throw_if_requested(kept);
  if (options.gzip > 0) {
    data::convert(*data::open(writer.part_path()), path, {{}, options.gzip});
    writer.discard();
  } else {
    writer.finish();
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace cvf::generate

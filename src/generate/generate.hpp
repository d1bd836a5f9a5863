// Data sets from known systems: many samples in parallel into one file, resumable, the same bits for any
// number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "systems/system.hpp"

namespace cvf::generate {

struct Options {
  std::string system = "diffusion_reaction";
  std::int64_t samples = 100;
  std::string grid;           // "64" or "64x96" (columns x rows); empty = the system's default
  int frames = 0;             // 0 = the system's default
  double spacing = 0;         // 0 = the system's default
  std::vector<double> times;  // explicit output times instead of frames and spacing
  double jitter = 0;          // irregular times: inner frames move by up to +- jitter/2 of the spacing
  std::int64_t seed = 0;
  int gzip = 0;
  std::unique_ptr<systems::Settings> settings;  // of the system, made by describe

  void describe(config::Section& section);
  void describe_details(config::Section& section);  // all but the system's name
};

/// How many frames each sample has.
std::size_t frames_of(const Options& options);

/// Output times of one sample.
std::vector<double> times_of(const Options& options, std::size_t sample);

/// The system that the options ask for, on its grid.
std::unique_ptr<systems::System> system_of(Options& options);

struct Outcome {
  std::size_t samples = 0, simulated = 0, redrawn = 0;  // simulated: not found finished from an earlier call
  double seconds = 0;
};

/// What happens to a file that has the name already, from before or from another process that was quicker: it
/// stays, and is a DataError unless it was made with the same settings, or it is replaced when the new one is
/// whole.
enum class Existing { kept, replaced };

/// Writes `path`, one process at a time: a second one waits. Interrupted or killed, the same call continues.
/// A sample that goes non-finite is drawn anew with a note and is never written; after five such draws the
/// run stops with a NumericsError.
Outcome generate(Options& options, const std::string& path, Existing existing = Existing::kept);

}  // namespace cvf::generate

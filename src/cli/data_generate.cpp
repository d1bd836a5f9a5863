#include <fmt/format.h>

#include <filesystem>

#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/output_file.hpp"
#include "core/registry.hpp"
#include "core/text.hpp"
#include "generate/generate.hpp"

namespace cvf::cli {
namespace {

struct Generate {
  std::string system, out, grid, config;
  std::int64_t samples = 0, seed = -1;
  int frames = 0, gzip = -1;
  double spacing = 0, jitter = -1;
  std::vector<double> times;
  std::vector<std::string> sets;
  bool print_config = false, overwrite = false;

  // Flags are short for --set, so that both pass the same checks and give the same sentences.
  config::Document document() const {
    config::Document document = config.empty() ? config::Document() : config::Document::from_file(config);
    document.set(fmt::format("name={}", find(systems::registry(), system, "system").name));
    if (samples != 0) document.set(fmt::format("samples={}", samples));
    if (!grid.empty()) document.set(fmt::format("grid=\"{}\"", grid));
    if (frames != 0) document.set(fmt::format("frames={}", frames));
    if (spacing != 0) document.set(fmt::format("spacing={}", spacing));
    if (!times.empty()) document.set(fmt::format("times=[{}]", fmt::join(times, ",")));
    if (jitter >= 0) document.set(fmt::format("jitter={}", jitter));
    if (seed >= 0) document.set(fmt::format("seed={}", seed));
    if (gzip >= 0) document.set(fmt::format("gzip={}", gzip));
    for (const auto& assignment : sets) document.set(assignment);
    return document;
  }

  void run() const {
    generate::Options options;
    const auto describe = [&options](config::Section& s) { options.describe(s); };
    document().read(describe);
    if (print_config) {
      fmt::print("{}", config::write(describe));
      return;
    }
    if (out.empty()) throw UsageError("--out is missing: the file to write");
    files::check_output(
        {.path = out, .inputs = {config}, .overwrite = overwrite, .endings = files::unfinished_endings});
    const generate::Outcome outcome =
        generate::generate(options, out, overwrite ? generate::Existing::replaced : generate::Existing::kept);
    log::note("{}: {} samples of {}, {} ({} simulated in {}{})", out, outcome.samples, options.system,
              text::bytes(std::filesystem::file_size(out)), outcome.simulated,
              text::duration(outcome.seconds),
              outcome.redrawn > 0 ? fmt::format(", {} drawn anew", outcome.redrawn) : "");
  }
};

}  // namespace

void add_generate(CLI::App& data) {
  CLI::App& app = *data.add_subcommand("generate", "simulate a known system into an HDF5 file; resumable");
  const auto verb = bind<Generate>(app);
  std::string known;
  for (const auto& row : systems::registry()) known += fmt::format("\n  {:<20} {}", row.name, row.summary);
  app.footer(
      "Example: cvf data generate wave --out wave.h5 --samples 100 --grid 64 --frames 101\n"
      "Stopped or killed, the same command goes on. Systems:" +
      known +
      "\nTheir options: cvf explain SYSTEM, set by --set system.KEY=VALUE. Next: cvf data picture FILE --out "
      "sample.png");
  app.add_option("SYSTEM", verb->system, "what to simulate (list below)")->required();
  app.add_option("--out", verb->out, "file to write");
  app.add_option("--samples", verb->samples, "number of trajectories (100)");
  app.add_option("--grid", verb->grid, "cells: 64, or 64x96 = columns x rows");
  app.add_option("--frames", verb->frames, "frames of each sample, the first at time 0");
  app.add_option("--spacing", verb->spacing, "time between frames");
  app.add_option("--times", verb->times, "explicit output times, comma separated")->delimiter(',');
  app.add_option("--jitter", verb->jitter, "irregular times, as a share of the spacing (0 to 0.99)");
  app.add_option("--seed", verb->seed, "root of all random draws (0)");
  app.add_option("--gzip", verb->gzip, "compression level 0 to 9 (0)");
  app.add_option("--config", verb->config, "TOML file with the same keys");
  app.add_option("--set", verb->sets, "any key, e.g. --set system.initial=smooth")->allow_extra_args(false);
  app.add_flag("--print-config", verb->print_config, "print the resolved settings and stop");
  app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
}

}  // namespace cvf::cli

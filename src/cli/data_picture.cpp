#include "cli/verbs.hpp"
#include "core/log.hpp"
#include "core/output_file.hpp"
#include "data/splits.hpp"
#include "report/sample_picture.hpp"

namespace cvf::cli {
namespace {

struct Picture {
  InputFile input;
  std::string out, frames;
  std::size_t sample = 0;
  bool overwrite = false;
  report::PictureOptions options;

  void run() {
    files::check_output({.path = out, .inputs = {input.path}, .overwrite = overwrite});
    const auto source = input.open();
    const auto& d = source->description();
    if (!frames.empty() && sample < d.samples)
      options.frames = data::parse_ranges(frames, d.frames[sample], "--frames");
    report::picture_of(*source, sample, options).save(out);
    log::note("{}: sample {} of {}", out, sample, d.file);
  }
};

}  // namespace

void add_picture(CLI::App& data) {
  CLI::App& app = *data.add_subcommand("picture", "draw one sample of a data file or forecast as a PNG");
  app.footer(
      "Example: cvf data picture mine.h5 --sample 3 --out sample3.png\n"
      "Fields become rows of frames, 1-D fields maps over x and t, vectors curves. A forecast of cvf rollout "
      "is "
      "a data file too.");
  const auto verb = bind<Picture>(app);
  verb->input.add_to(app);
  app.add_option("--out", verb->out, "PNG file to write")->required();
  app.add_option("--sample", verb->sample, "which sample")->capture_default_str();
  app.add_option("--frames", verb->frames, "which frames, e.g. 0,10,50 (default: spread evenly)");
  app.add_option("--columns", verb->options.columns, "how many frames when --frames is not given")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--size", verb->options.panel, "pixels of one panel")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
}

}  // namespace cvf::cli

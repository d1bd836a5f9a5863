#include <filesystem>

#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/output_file.hpp"
#include "core/text.hpp"
#include "data/convert.hpp"
#include "data/source.hpp"
#include "data/splits.hpp"

namespace cvf::cli {
namespace {

struct Convert {
  InputFile input;
  std::string out, samples;
  std::vector<std::string> channels;
  std::size_t average = 1;
  int gzip = 0;
  bool overwrite = false;

  bool is_npz() const { return out.ends_with(".npz"); }

  void run() const {
    if (is_npz() && gzip > 0) throw UsageError("--gzip: an NPZ is written without compression");
    files::check_output({.path = out, .inputs = {input.path}, .overwrite = overwrite});
    std::shared_ptr<const data::Source> source = input.open();
    source = data::averaged(data::with_channels(std::move(source), channels), average);
    data::ConvertOptions options;
    options.samples = data::parse_ranges(samples, source->description().samples, "--samples");
    options.gzip = gzip;
    if (is_npz()) {
      data::convert_to_npz(*source, out, options);
    } else {
      data::convert(*source, out, options);
    }
    log::note("{}: {}", out, text::bytes(std::filesystem::file_size(out)));
  }
};

}  // namespace

void add_convert(CLI::App& data) {
  CLI::App& app = *data.add_subcommand(
      "convert", "rewrite any readable file as cvf's own layout (PDEBench groups), or as NPZ");
  app.footer(
      "Example: cvf data convert mine.h5 small.h5 --samples 0:100 --average 4 --gzip 4\n"
      "         cvf data convert mine.h5 mine.npz        for numpy.load: states, t, axes, channels, ...\n"
      "A converted file tells its own axes and times: no --dataset, --axes or --dt any more.\n"
      "Next: cvf data inspect small.h5");
  const auto verb = bind<Convert>(app);
  verb->input.add_to(app);
  app.add_option("OUT", verb->out, "file to write; NPZ when its name ends so")->required();
  app.add_option("--samples", verb->samples, "which samples, e.g. 0:100,200");
  app.add_option("--channels", verb->channels, "which channels, by name, comma separated")->delimiter(',');
  app.add_option("--average", verb->average, "average blocks of N x N cells")->check(CLI::PositiveNumber);
  app.add_option("--gzip", verb->gzip, "compression level 0 to 9")->check(CLI::Range(0, 9));
  app.add_flag("--overwrite", verb->overwrite, "replace an existing file");
}

}  // namespace cvf::cli

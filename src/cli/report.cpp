#include "report/report.hpp"

#include <filesystem>

#include "cli/verbs.hpp"
#include "core/files.hpp"
#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

struct Report {
  std::string folder, out;
  bool overwrite = false;

  void run() {
    folder = folder_of_run(folder);
    const std::string usual = (std::filesystem::path(folder) / "report.html").string();
    const std::string file = out.empty() ? usual : out;
    const std::size_t bytes = report::write_report(folder, file, overwrite || files::same_file(file, usual));
    log::note("{}: {}; opens in any browser, needs no network", file, text::bytes(bytes));
  }
};

}  // namespace

void add_report(CLI::App& app) {
  CLI::App& verb_app =
      *app.add_subcommand("report", "a study or a run as one HTML page with plots and animations");
  const auto verb = bind<Report>(verb_app);
  verb_app.footer(
      "A study's folder has results.jsonl; a run's has run.toml, and is shown with its evaluation*.json and "
      "forecast*.h5 if it has them.");
  verb_app.add_option("DIR", verb->folder, "folder of a study or of a run")->required();
  verb_app.add_option("--out", verb->out, "HTML file to write (DIR/report.html, which is replaced)");
  verb_app.add_flag("--overwrite", verb->overwrite, "replace an existing file that --out names");
}

}  // namespace cvf::cli

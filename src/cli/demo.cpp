#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "cli/demo_files.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "metrics/definitions.hpp"
#include "report/report.hpp"
#include "study/study.hpp"
#include "study/tables.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;

struct Demo {
  std::string out;
  bool quick = false;

  // The files of the study, with the data beside them.
  void write_files() const {
    fs::create_directories(out);
    const auto with_data_here = [this](std::string text) {
      const std::string from = "file = \"";
      return text.replace(text.find(from), from.size(), from + fs::absolute(out).string() + "/");
    };
    write("pendulum.toml", with_data_here(demo_pendulum));
    write("diffusion-reaction.toml", with_data_here(demo_reaction));
    write("demo.toml", demo_study);
  }

  // A file that somebody wrote or changed is worth more than ours.
  void write(const std::string& name, const std::string& content) const {
    const std::string path = out + "/" + name;
    if (fs::exists(path) && files::read_whole(path) != content) {
      throw UsageError("{}: is not as cvf demo writes it, and is not written over; give another --out", path);
    }
    files::write_atomically(path, content);
  }

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    if (out.empty()) out = quick ? "out/demo-quick" : "out/demo";
    write_files();
    fmt::print(
        "A pendulum and a diffusion-reaction are simulated; four methods see one frame in eight, train {} "
        "each\n"
        "and are judged on the frames in between. Interrupted, the same command goes on.\n\n",
        quick ? "150 steps" : "30 CPU seconds");
    const auto outcome = study::run({.file = out + "/demo.toml",
                                     .preset = quick ? "quick" : "",
                                     .set = {},
                                     .out = out + "/study",
                                     .definitions = metrics::definitions()});
    const std::string page = out + "/report.html";
    const auto bytes = report::write_report(out + "/study", page, true);
    fmt::print("{}\nBetween the training frames:\n{}\n\n", table(),
               study::read_out(outcome.results, "between-frames", "cvf+"));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    fmt::print("{} runs, {} failed, in {}. The report: {} ({})\n\nTry next:\n{}", outcome.cells,
               outcome.failed, text::duration(spent.count()), page, text::bytes(bytes), next());
    if (quick) {
      fmt::print(
          "\nWith --quick every method trained for 150 steps only: its errors say that the program works, no "
          "more.\n");
    }
    if (outcome.failed > 0)
      throw NumericsError("{} of {} runs failed; {}/study/results.jsonl says why", outcome.failed,
                          outcome.cells, out);
  }

  // The table alone; its notes are in the file.
  std::string table() const {
    std::string kept;
    for (const auto& line : text::split(files::read_whole(out + "/study/tables/demo.md"), '\n')) {
      if (line.starts_with("|")) kept += line + "\n";
    }
    return kept;
  }

  std::string next() const {
    return fmt::format(
        "  open {0}/report.html                                     plots, maps and animations of what you "
        "just "
        "saw\n"
        "  cvf rollout {0}/study/runs/pendulum/default/cvf+/seed-0 --data {0}/pendulum.h5 --until 20 --out "
        "forecast.h5\n"
        "  cvf data inspect YOUR_FILE.h5                            then docs/tutorial-own-data.md\n",
        out);
  }
};

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App& verb_app = *app.add_subcommand(
      "demo", "the main job on built-in defaults: data, training, rollout, table, report");
  const auto verb = bind<Demo>(verb_app);
  verb_app.footer("A few minutes on two cores. Everything that it reads and makes is in its folder.");
  verb_app.add_option("--out", verb->out, "folder of everything (out/demo; with --quick, out/demo-quick)");
  verb_app.add_flag("--quick", verb->quick, "a tenth of the training: does everything work here?");
}

}  // namespace cvf::cli

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "cli/programs.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "core/threads.hpp"
#include "data/source.hpp"

namespace cvf::cli {
namespace {

constexpr const char* closing =
    "A first walk, a few minutes long:\n"
    "  cvf data generate pendulum --out pendulum.h5     make data, or take a file of yours\n"
    "  cvf init pendulum.h5                             writes pendulum.toml: what to train, and why\n"
    "  cvf train pendulum.toml                          train; stopped or killed, the same command goes on\n"
    "  cvf report pendulum                              the run as one HTML page\n"
    "  cvf evaluate pendulum                            errors and costs on its test samples\n"
    "  cvf rollout pendulum --until 9 --out forecast.h5 forecasts of these samples\n"
    "Then: cvf VERB --help (examples of each), cvf explain (every key of every file), docs/README.md "
    "(manual).\n"
    "Exit codes: 0 done, 2 usage, 3 configuration, 4 data, 5 model, 6 numerics, 7 audit found faults, 8 "
    "interrupted, 9 another rank was lost.";

constexpr const char* of_data =
    "Your own file:  cvf data inspect mine.h5    what is in it, and what is still to be said about it\n"
    "                cvf data audit mine.h5      is it fit to learn from?\n"
    "None at hand:   cvf data generate pendulum --out pendulum.h5\n"
    "Next: cvf init mine.h5 writes a run file for it, and cvf train that; docs/tutorial-own-data.md walks "
    "through it.";

void add_everything(CLI::App& app) {
  app.set_version_flag("--version", std::string("cvf ") + version);
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(closing);
  app.add_option_function<int>(
         "--threads", [](int count) { threads::use(count); }, "threads of every pool; 0 = all cores")
      ->type_name("N")
      ->trigger_on_parse();
  app.add_flag_callback(
         "--quiet", [] { log::set_level(log::Level::quiet); }, "only warnings and results")
      ->trigger_on_parse();
  app.add_flag_callback(
         "--verbose", [] { log::set_level(log::Level::verbose); }, "say more")
      ->trigger_on_parse();

  CLI::App& data = *app.add_subcommand("data", "make, inspect, check, convert and draw data files");
  data.require_subcommand(1);
  data.fallthrough();
  data.footer(of_data);
  add_generate(data);
  add_inspect(data);
  add_audit(data);
  add_convert(data);
  add_picture(data);
  add_init(app);
  add_train(app);
  add_evaluate(app);
  add_rollout(app);
  add_study(app);
  add_demo(app);
  add_report(app);
  add_export(app);
  add_explain(app);
  add_bench(app);
  add_completion(app);
}

int complain(std::string_view sentence, Exit code) {
  std::fputs(fmt::format("cvf: {}\n", text::printable(sentence, "\n")).c_str(), stderr);
  return static_cast<int>(code);
}

void find_probe() {
  const std::string probe = neighbour("cvf-probe");
  if (!probe.empty()) data::use_probe(probe);
}

int output_fault = 0;  // errno of a print that failed before the end

void print_text(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_fault = errno;
}

int run(int argc, char** argv) {
  CLI::App app(
      "cvf learns continuous-time physics from discrete snapshots: one network steps a state over any time\n"
      "step, and says of each step how far it agrees with itself.",
      "cvf");
  try {
    add_everything(app);
    check_numbers(app);
    const CLI::App* verb = first_verb(app, argc, argv);
    if (verb != nullptr && is_handed_over(*verb)) become_models();
    app.parse(argc, argv);
    return static_cast<int>(Exit::success);
  } catch (const CLI::Success& wish) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(wish, text, text);
    print_text(text.str());
    return code;
  } catch (const CLI::ParseError& error) {
    const std::string slip = unknown_verb(app, argc, argv);
    return complain(fmt::format("{}\n  see: cvf --help", slip.empty() ? error.what() : slip), Exit::usage);
  } catch (const Error& error) {
    return complain(error.what(), error.code());
  } catch (const std::filesystem::filesystem_error& error) {  // a folder that may not be read or written, say
    return complain(fmt::format("{}: {}", error.path1().string(), error.code().message()), Exit::data);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0)
      return complain(fmt::format("unexpected: {}", error.what()), Exit::unexpected);
    output_fault = error.code().value();  // of fmt::print; `finish` reports it
    return static_cast<int>(Exit::success);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; a smaller batch, window or grid would need less", Exit::unexpected);
  } catch (const std::exception& error) {
    return complain(fmt::format("unexpected: {}", error.what()), Exit::unexpected);
  }
}

// Output that could not be written is a failure of the command, unless it has failed for another reason.
// Where the reader has gone (EPIPE, of a process that ignores SIGPIPE) there is no one to read a message
// either.
int finish(int code) {
  const int fault = flush_output(), why = output_fault != 0 ? output_fault : fault;
  const bool has_failed = code != static_cast<int>(Exit::success) && code != static_cast<int>(Exit::findings);
  if (why == 0 || has_failed) return code;
  if (why == EPIPE) return static_cast<int>(Exit::data);
  const std::string reason = why == unknown_fault ? "" : fmt::format(": {}", std::strerror(why));
  return complain("standard output: writing failed" + reason, Exit::data);
}

}  // namespace
}  // namespace cvf::cli

namespace {

// Verbs that evaluate networks have many short parallel loops, where spinning threads hurt; the others do not
// pay for a second start of the process.
bool computes(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view word) {
    return word == "bench" || word == "train" || word == "rollout" || word == "evaluate";
  });
}

}  // namespace

int main(int argc, char** argv) {
  cvf::cli::open_closed_streams();
  cvf::threads::prepare_process(computes(argc, argv) ? argv : nullptr);
  cvf::threads::use(0);
  cvf::interrupt::install();
  cvf::data::leave_hdf5_as_it_is_at_exit();
  cvf::cli::find_probe();
  cvf::cli::remember_words(argv);
  return cvf::cli::finish(cvf::cli::run(argc, argv));
}

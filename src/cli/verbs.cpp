#include "cli/verbs.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "cli/programs.hpp"
#include "core/log.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

// CLI11 takes -1 for the largest unsigned number, and whatever is too long for 64 bits for the largest of its
// kind.
std::string refuse_signed(const std::string& word) {
  errno = 0;
  (void)std::strtoll(word.c_str(), nullptr, 0);
  return errno == ERANGE ? word + " is too large a number" : "";
}

std::string refuse_unsigned(const std::string& word) {
  if (word.starts_with('-')) return word + " is negative";
  errno = 0;
  (void)std::strtoull(word.c_str(), nullptr, 0);
  return errno == ERANGE ? word + " is too large a number" : "";
}

// CLI11 takes nan and inf for numbers, and no option of ours does.
std::string refuse_not_finite(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return *end != 0 || std::isfinite(value) ? "" : word + " is not a finite number";
}

}  // namespace

std::string refuse_not_positive(const std::string& word) {
  const double value = std::strtod(word.c_str(), nullptr);
  return value > 0 || !std::isfinite(value) ? "" : word + " is not a positive number";
}

void check_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();  // with the names of other checks behind a colon
    if (type.starts_with("INT")) option->check(refuse_signed);
    if (type.starts_with("UINT")) option->check(refuse_unsigned);
    if (type.starts_with("FLOAT")) option->check(refuse_not_finite);
  }
  for (CLI::App* verb : app.get_subcommands({})) check_numbers(*verb);
}

std::string folder_of_run(const std::string& name) {
  const std::filesystem::path inside = std::filesystem::path("runs") / name;
  std::error_code none;
  return !std::filesystem::exists(name, none) && std::filesystem::is_directory(inside, none) ? inside.string()
                                                                                             : name;
}

std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (const auto& word : plain_words(argc, argv)) {
    std::vector<std::string> known;
    const CLI::App* found = nullptr;
    for (const auto* verb : at->get_subcommands({})) {
      known.push_back(verb->get_name());
      if (verb->get_name() == word) found = verb;
    }
    if (known.empty()) return "";
    if (found == nullptr) {
      const std::string before = at == &app ? "cvf" : "cvf " + at->get_name();
      return fmt::format("{} has no verb '{}'{}", before, word, text::suggestion(word, known));
    }
    at = found;
  }
  return "";
}

void say_notes(const data::Source& source) {
  const auto& d = source.description();
  for (const auto& note : d.notes) log::note("{}: {}", d.file, text::printable(note));
}

void add_channels(CLI::App& verb, std::vector<std::string>& channels) {
  verb.add_option("--channels", channels,
                  "the file's names for the model's channels, in the model's order, comma separated, where "
                  "they differ")
      ->delimiter(',');
}

void add_dt(CLI::App& verb, data::OpenOptions& options) {
  verb.add_option("--dt", options.dt, "time between frames when the file does not tell")
      ->check(refuse_not_positive);
}

void InputFile::add_to(CLI::App& verb) {
  verb.add_option("FILE", path, "data file; its layout is found from its content")->required();
  verb.add_option("--dataset", options.dataset, "path of the array inside a plain HDF5 or NPZ file");
  verb.add_option("--axes", options.axes,
                  "what the axes of a plain array are, in order: n (sample), t, y, x, c, e.g. n,t,y,x");
  add_dt(verb, options);
}

}  // namespace cvf::cli

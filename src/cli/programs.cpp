#include "cli/programs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/errors.hpp"

namespace cvf::cli {
namespace {

namespace fs = std::filesystem;

char** words = nullptr;

fs::path beside_us(const std::string& name) {
  std::error_code fault;
  return fs::read_symlink("/proc/self/exe", fault).parent_path() / name;
}

}  // namespace

CLI::App& add_verb(CLI::App& app, const VerbName& verb) {
  return *app.add_subcommand(verb.name, verb.summary);
}

std::string neighbour(const std::string& name) {
  const fs::path path = beside_us(name);
  std::error_code fault;
  return fs::exists(path, fault) ? path.string() : "";
}

void remember_words(char** argv) {
  words = argv;
}

void become_models() {
  const std::string path = beside_us("cvf-models").string();
  execv(path.c_str(), words);
  throw Error(Exit::unexpected,
              fmt::format("{}: {}; this verb is in cvf-models, which is built and installed beside cvf", path,
                          std::strerror(errno)));
}

std::vector<std::string> plain_words(int argc, char** argv) {
  std::vector<std::string> out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("-")) {
      out.push_back(word);
    } else if (word == "--threads") {  // the one flag before a verb that takes a word
      ++i;
    }
  }
  return out;
}

const CLI::App* first_verb(const CLI::App& app, int argc, char** argv) {
  const auto plain = plain_words(argc, argv);
  for (const auto* verb : app.get_subcommands({})) {
    if (!plain.empty() && verb->get_name() == plain.front()) return verb;
  }
  return nullptr;
}

bool is_handed_over(const CLI::App& verb) {
  return verb.get_prefix_command();
}

void add_handed_over(CLI::App& app, const VerbName& verb) {
  add_verb(app, verb).prefix_command();
}

}  // namespace cvf::cli

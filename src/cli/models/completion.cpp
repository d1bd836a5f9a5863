#include <fmt/format.h>

#include <algorithm>

#include "cli/programs.hpp"
#include "cli/verbs.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace cvf::cli {
namespace {

using Words = std::vector<std::string>;

/// A verb by the words that lead to it ("data inspect"), with what may follow.
struct Place {
  std::string path;
  Words words;
  std::vector<std::pair<std::string, std::string>> verbs, flags;  // with what they mean
};

void collect(const CLI::App& app, const std::string& path, std::vector<Place>& out) {
  Place place{path, {}, {}, {}};
  for (const auto* verb : app.get_subcommands({})) {
    place.words.push_back(verb->get_name());
    place.verbs.emplace_back(verb->get_name(), verb->get_description());
  }
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) {
      place.words.push_back("--" + name);
      place.flags.emplace_back(name, option->get_description());
    }
  }
  out.push_back(std::move(place));
  for (const auto* verb : app.get_subcommands({}))
    collect(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name(), out);
}

std::string for_bash(const std::vector<Place>& places) {
  std::string paths, cases;
  for (const auto& place : places) {
    if (!place.path.empty()) paths += fmt::format("{}\"{}\"", paths.empty() ? "" : "|", place.path);
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", place.path, text::join(place.words, " "));
  }
  return fmt::format(R"(_cvf() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" verb="" next words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="${{verb:+$verb }}${{COMP_WORDS[i]}}"
    case "$next" in
      {}) verb="$next" ;;
    esac
  done
  case "$verb" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
  return 0
}}
complete -o filenames -F _cvf cvf
)",
                     paths, cases);
}

std::string for_zsh(const std::vector<Place>& places) {
  return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         for_bash(places);
}

// The first sentence of a help, as a word of fish.
std::string quoted_for_fish(const std::string& help) {
  std::string out = "'";
  for (const char c : help.substr(0, help.find_first_of(";:\n")))
    out += c == '\'' ? "\\'" : std::string(1, c);
  return out + "'";
}

std::string for_fish(const std::vector<Place>& places) {
  std::string out;
  for (const auto& place : places) {
    Words seen;
    for (const auto& word : text::split(place.path, ' '))
      seen.push_back("__fish_seen_subcommand_from " + word);
    const std::string condition = place.path.empty() ? "__fish_use_subcommand" : text::join(seen, "; and ");
    for (const auto& [verb, help] : place.verbs)
      out += fmt::format("complete -c cvf -n '{}' -a {} -d {}\n", condition, verb, quoted_for_fish(help));
    for (const auto& [flag, help] : place.flags)
      out += fmt::format("complete -c cvf -n '{}' -l {} -d {}\n", condition, flag, quoted_for_fish(help));
  }
  return out;
}

struct Completion {
  const CLI::App* app = nullptr;
  std::string shell;

  void run() const {
    std::vector<Place> places;
    collect(*app, "", places);
    fmt::print("{}", shell == "bash"  ? for_bash(places)
                     : shell == "zsh" ? for_zsh(places)
                                      : for_fish(places));
  }
};

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App& verb_app = add_verb(app, completion_verb);
  const auto verb = bind<Completion>(verb_app);
  verb->app = &app;
  verb_app.footer(
      "bash: source <(cvf completion bash)     in ~/.bashrc\n"
      "zsh:  source <(cvf completion zsh)      in ~/.zshrc\n"
      "fish: cvf completion fish > ~/.config/fish/completions/cvf.fish");
  verb_app.add_option("SHELL", verb->shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace cvf::cli

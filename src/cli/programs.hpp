// cvf is two programs: `cvf` itself, without LibTorch, which starts in milliseconds, and `cvf-models`, which
// has every verb. What the first cannot do it hands over to the second, which lies beside it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cvf::cli {

/// A verb as both programs list it.
struct VerbName {
  const char *name, *summary;
};

inline constexpr VerbName init_verb{
    "init", "look at a data file and write a short run file for it, with the reason for each choice"},
    train_verb{"train", "train a velocity field; the same command goes on after a stop"},
    evaluate_verb{"evaluate", "compare a trained model with the truth of its test samples"},
    bench_verb{"bench", "measure speed on this machine"},
    completion_verb{"completion", "print what a shell needs to complete verbs and flags of cvf"};

CLI::App& add_verb(CLI::App& app, const VerbName& verb);

/// A program that was built or installed together with this one; empty when it is not there.
std::string neighbour(const std::string& name);

/// The words that this process was started with, for `become_models`.
void remember_words(char** argv);

/// Goes on as `cvf-models`, in this process and with the same words. An Error when it is missing.
[[noreturn]] void become_models();

/// The words of a command line that are no flags.
std::vector<std::string> plain_words(int argc, char** argv);

/// The verb that a command line begins with; null when there is none.
const CLI::App* first_verb(const CLI::App& app, int argc, char** argv);

/// Whether the other program has this verb. Nothing of its words may be parsed here.
bool is_handed_over(const CLI::App& verb);
/// Lists such a verb.
void add_handed_over(CLI::App& app, const VerbName& verb);

}  // namespace cvf::cli

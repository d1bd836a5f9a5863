// The verbs that need LibTorch, left out: with the program's own main and all other verbs this links to a cvf
// that starts in milliseconds, so that thousands of cases can each be a process of their own.
#include "cli/verbs.hpp"

namespace cvf::cli {

void add_init(CLI::App&) {}
void add_train(CLI::App&) {}
void add_evaluate(CLI::App&) {}
void add_bench(CLI::App&) {}
void add_rollout(CLI::App&) {}
void add_study(CLI::App&) {}
void add_demo(CLI::App&) {}
void add_explain(CLI::App&) {}

}  // namespace cvf::cli

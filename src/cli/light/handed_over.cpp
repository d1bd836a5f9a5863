// What the program without LibTorch hands over to cvf-models.
#include "cli/opened_run.hpp"
#include "cli/programs.hpp"
#include "cli/topics.hpp"
#include "cli/verbs.hpp"

namespace cvf::cli {

void add_init(CLI::App& app) {
  add_handed_over(app, init_verb);
}
void add_train(CLI::App& app) {
  add_handed_over(app, train_verb);
}
void add_evaluate(CLI::App& app) {
  add_handed_over(app, evaluate_verb);
}
void add_bench(CLI::App& app) {
  add_handed_over(app, bench_verb);
}
void add_completion(CLI::App& app) {  // it lists the flags of all verbs
  add_handed_over(app, completion_verb);
}

OpenedRun open_on_tensors(const std::string& /*path*/) {
  become_models();
}

std::string explained_by_models(const std::string& /*topic*/) {
  become_models();
}

}  // namespace cvf::cli

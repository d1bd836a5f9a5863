// A host of libcvf.so.
#include "child.hpp"

#include <cvf/cvf.h>

namespace {

void check(int code) {
  if (code == CVF_OK) return;
  std::fprintf(stderr, "%s\n", cvf_message());
  std::exit(code);
}

}  // namespace

int main(int, char** argv) {
  cvf::bench::Asked asked(argv);
  cvf_model* model = nullptr;
  cvf::bench::measure(
      asked,
      [&] {
        check(cvf_model_load(asked.folder, nullptr, 0, &model));
        check(cvf_model_set_threads(model, asked.threads));
      },
      [&] {
        check(cvf_step_f32(model, asked.batch, asked.states.data(), asked.dt.data(), nullptr, nullptr));
      });
  cvf_model_free(model);
}

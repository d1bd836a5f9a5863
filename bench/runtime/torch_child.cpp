// The same on the path of LibTorch.
#include "child.hpp"
#include "core/threads.hpp"
#include "rollout/tensors/model.hpp"
#include "run/folder.hpp"

int main(int, char** argv) {
  using torch::Tensor;
  cvf::bench::Asked asked(argv);
  cvf::run::Folder run;
  Tensor states, dt;
  cvf::bench::measure(
      asked,
      [&] {
        cvf::tensors::prepare();
        cvf::threads::use(asked.threads);
        run = cvf::run::open(asked.folder);
        auto shape = run.model.spec.state.tensor_sizes();
        shape.insert(shape.begin(), static_cast<std::int64_t>(asked.batch));
        states = torch::from_blob(asked.states.data(), shape);
        dt = torch::full({shape[0]}, 0.1, torch::kDouble);
      },
      [&] {
        const torch::NoGradGuard no_gradients;
        const Tensor s = cvf::rollout::to_model(run.model, {states});
        const Tensor v = run.model.normalizer->model_velocity(run.model.field->forward(s, dt));
        states.copy_(cvf::rollout::to_physical(run.model, s + 0.1 * v, states).value);
      });
}

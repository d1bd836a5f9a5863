#include "rollout/runtime_model.hpp"

#include "core/threads.hpp"
#include "runtime/contexts.hpp"

namespace cvf::rollout {
namespace {

using solvers::States;

template <class Work>
void with_values(const States& physical, const Work& work) {
  if (physical.type() == States::Type::float64) {
    work(physical.data<double>());
  } else {
    work(physical.data<float>());
  }
}

class RuntimeStepping : public Stepping {
 public:
  RuntimeStepping(runtime::Model model, const SampleContexts& contexts)
      : model_(std::move(model)), contexts_(model_, contexts, contexts.size()) {}

  Batch to_model(const States& physical) const override {
    Batch out = solvers::host_states<float>(physical.rows(), model_.values());
    with_values(physical,
                [&](const auto* from) { model_.to_model(from, physical.rows(), out->data<float>()); });
    return out;
  }

  void to_physical(const States& from, States& physical) const override {
    with_values(physical, [&](auto* to) { model_.to_physical(from.data<float>(), from.rows(), to); });
  }

  Batch velocity(const Asked& asked) const override {
    const std::size_t rows = asked.state->rows();
    runtime::Query query{static_cast<std::int64_t>(rows), asked.state->data<float>(), asked.dt};
    runtime::Contexts::Seen<float> seen;
    if (!contexts_.empty()) {
      seen = contexts_.over<float>(asked.samples, asked.begin, asked.dt);
      query.conditions = seen.conditions.data();
      query.beside = seen.beside.data();
    }
    Batch out = asked.state->empty(rows);
    model_.velocity(query, out->data<float>(), threads::count(), asked.members);
    return out;
  }

 private:
  runtime::Model model_;
  runtime::Contexts contexts_;
};

class RuntimeModel : public Model {
 public:
  explicit RuntimeModel(runtime::Model model) : model_(std::move(model)) {}
  Facts facts() const override {
    const auto& spec = model_.spec();
    return {spec.state, spec.context, model_.any_grid(), spec.time_unit()};
  }
  fields::StateShape shape() const override { return model_.spec().shape(); }
  std::int64_t members() const override { return static_cast<std::int64_t>(model_.members()); }
  bool conditioned() const override { return model_.spec().field.settings->conditioned(); }
  double flops() const override { return model_.flops(); }
  std::vector<double> state_mean() const override { return model_.units().mean; }

  std::unique_ptr<Stepping> on(const Sizes& state, const SampleContexts& contexts) const override {
    const bool own = state == model_.state().tensor_sizes();
    return std::make_unique<RuntimeStepping>(own ? model_ : model_.on_grid(state[1], state[2], 0, 0),
                                             contexts);
  }

 private:
  runtime::Model model_;
};

}  // namespace

ModelPointer on_runtime(runtime::Model model) {
  return std::make_shared<RuntimeModel>(std::move(model));
}

}  // namespace cvf::rollout

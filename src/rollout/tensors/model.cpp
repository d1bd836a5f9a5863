#include "rollout/tensors/model.hpp"

#include "core/errors.hpp"
#include "fields/members.hpp"
#include "solvers/tensors/integrate.hpp"

namespace cvf::rollout {
namespace {

using torch::Tensor;

torch::TensorOptions options_of(const model::TrainedModel& model) {
  const auto parameters = model.field->parameters();
  const auto options =
      parameters.empty() ? torch::TensorOptions(torch::kDouble) : parameters.front().options();
  return options.requires_grad(false);
}

// Plain memory as a tensor [rows, state sizes].
Tensor view_of(const solvers::States& states, const Sizes& state) {
  Sizes sizes{static_cast<std::int64_t>(states.rows())};
  sizes.insert(sizes.end(), state.begin(), state.end());
  const bool wide = states.type() == solvers::States::Type::float64;
  return torch::from_blob(states.data<void>(), sizes, wide ? torch::kDouble : torch::kFloat);
}

// What a field is asked, evaluated and denormalised.
class Evaluation {
 public:
  explicit Evaluation(const model::TrainedModel& model) : field_(model.field) {
    if (field_->is_training()) field_->eval();
    const auto own = options_of(model);
    const auto den = model.normalizer->den();
    Sizes shape{1, -1};
    if (!field_->shape().is_vector()) shape.insert(shape.end(), {1, 1});
    factor_ = den.factor.to(own).view(shape), offset_ = den.offset.to(own).view(shape);
  }

  Tensor operator()(const fields::Query& query, std::span<const std::int64_t> members) const {
    const torch::NoGradGuard no_gradients;
    const Tensor psi =
        members.empty() ? field_->forward(query) : fields::forward_by_member(*field_, query, members);
    return torch::addcmul(offset_, psi, factor_);
  }

 private:
  fields::FieldPointer field_;
  Tensor factor_, offset_;
};

class TensorStepping : public Stepping {
 public:
  TensorStepping(const model::TrainedModel& model, const Sizes& state, const SampleContexts& contexts)
      : model_(model), state_(state), evaluate_(model) {
    if (!contexts.empty())
      contexts_ = {model.spec.context, contexts, Sizes(state.begin() + 1, state.end()), options_of(model)};
  }

  Batch to_model(const solvers::States& physical) const override {
    return solvers::tensor_states(rollout::to_model(model_, {view_of(physical, state_)}));
  }

  void to_physical(const solvers::States& from, solvers::States& physical) const override {
    Tensor out = view_of(physical, state_);
    out.copy_(rollout::to_physical(model_, solvers::tensor_of(from), out).value);
  }

  Batch velocity(const Asked& asked) const override {
    const Tensor& state = solvers::tensor_of(*asked.state);
    const std::vector<double> steps = asked.dt.empty()
                                          ? std::vector<double>(asked.state->rows(), 0.0)
                                          : std::vector<double>(asked.dt.begin(), asked.dt.end());
    fields::Context context;
    if (!contexts_.empty()) context = contexts_.over(asked.samples, asked.begin, steps);
    const Tensor dt = torch::tensor(steps, torch::kDouble).to(state.device());
    const Tensor answer = evaluate_({state, dt, context}, asked.members);
    return solvers::tensor_states(answer.to(state.options()).contiguous());
  }

 private:
  const model::TrainedModel& model_;
  Sizes state_;
  Evaluation evaluate_;
  model::Contexts contexts_;
};

class TensorModel : public Model {
 public:
  explicit TensorModel(const model::TrainedModel& model) : model_(model) {}
  Facts facts() const override { return facts_of(model_); }
  fields::StateShape shape() const override { return model_.field->shape(); }
  std::int64_t members() const override { return model_.field->member_count(); }
  bool conditioned() const override { return model_.field->conditioned(); }
  double flops() const override { return model_.field->flops(); }
  std::vector<double> state_mean() const override {
    const Tensor mean = model_.normalizer->state_moments().mean.to(torch::kCPU, torch::kDouble).contiguous();
    return {mean.data_ptr<double>(), mean.data_ptr<double>() + mean.numel()};
  }
  std::unique_ptr<Stepping> on(const Sizes& state, const SampleContexts& contexts) const override {
    return std::make_unique<TensorStepping>(model_, state, contexts);
  }

 private:
  const model::TrainedModel& model_;
};

}  // namespace

ModelPointer on_tensors(const model::TrainedModel& model) {
  return std::make_shared<TensorModel>(model);
}

Facts facts_of(const model::TrainedModel& model) {
  return {model.spec.state, model.spec.context, model.field && model.field->any_grid(),
          model.spec.time_unit()};
}

StateArray array_of(const Tensor& states, std::size_t leading) {
  Tensor values = states.detach().to(torch::kCPU).contiguous();
  if (values.scalar_type() != torch::kDouble) values = values.to(torch::kFloat);
  const auto sizes = values.sizes();
  StateArray out{Sizes(sizes.begin(), sizes.begin() + leading), Sizes(sizes.begin() + leading, sizes.end()),
                 nullptr};
  out.rows = solvers::tensor_states(values.reshape({c10::multiply_integers(out.leading), -1}));
  return out;
}

Tensor tensor_of(const StateArray& states) {
  if (!states.defined()) return {};
  Sizes sizes = states.leading;
  sizes.insert(sizes.end(), states.state.begin(), states.state.end());
  const bool wide = states.rows->type() == solvers::States::Type::float64;
  return torch::from_blob(
      states.rows->data<void>(), sizes, [kept = states.rows](void*) {},
      wide ? torch::kDouble : torch::kFloat);
}

Tensor to_model(const model::TrainedModel& model, const Physical& states) {
  return model.normalizer->to_model(states).value.to(options_of(model)).contiguous();
}

Physical to_physical(const model::TrainedModel& model, const Tensor& states, const Tensor& like) {
  return model.normalizer->to_physical({states.to(like.options())});
}

model::Contexts contexts_for(const model::TrainedModel& model, const SampleContexts& samples,
                             const Tensor& states) {
  if (model.spec.context.empty()) return {};
  return {model.spec.context, samples, states.sizes().slice(2).vec(), options_of(model)};
}

solvers::Velocity velocity_of(const model::TrainedModel& model, const model::Contexts& contexts) {
  return [evaluate = Evaluation(model), &contexts](const solvers::Query& asked) {
    fields::Context context;
    if (!contexts.empty()) {
      const Tensor steps = asked.dt.to(torch::kCPU, torch::kDouble).contiguous();
      const auto count = static_cast<std::size_t>(steps.numel());
      std::vector<std::int64_t> samples(count);
      std::vector<double> begin(count);
      for (std::size_t k = 0; k < count; ++k) samples[k] = asked.sample(k), begin[k] = asked.time(k);
      context = contexts.over(samples, begin, {steps.data_ptr<double>(), count});
    }
    return evaluate({asked.state, asked.dt.to(asked.state.device()), context}, {});
  };
}

}  // namespace cvf::rollout

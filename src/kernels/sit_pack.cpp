#include <omp.h>

#include "kernels/sit_engine.hpp"

namespace cvf::kernels {

PackedWeights::PackedWeights(const SitTrunk& trunk, std::shared_ptr<const cpu::Plan> plan)
    : plan_(std::move(plan)), weights_(make_buffer(static_cast<std::size_t>(plan_->weight_floats))) {
  const auto tensors = flat_weights(trunk);
  stamps_ = WeightStamps(tensors);
  pack_sit(*plan_, layer_values(tensors), trunk.positions.data_ptr<float>(), weights_.get(),
           omp_get_max_threads());
}

const float* PackedWeights::transposed(const std::vector<torch::Tensor>& weights) const {
  std::call_once(transposed_made_, [&] {
    transposed_ = make_buffer(static_cast<std::size_t>(plan_->transposed_floats));
    pack_sit_transposed(*plan_, layer_values(weights), transposed_.get(), omp_get_max_threads());
  });
  return transposed_.get();
}

std::vector<torch::Tensor> unpack_gradients(const cpu::Plan& plan, const std::vector<const float*>& parts,
                                            const std::vector<bool>& wanted) {
  const auto plans = flat_plans(plan);
  std::vector<torch::Tensor> out(2 * plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (wanted[2 * i]) out[2 * i] = torch::empty({plans[i].out, plans[i].in});
    if (wanted[2 * i + 1]) out[2 * i + 1] = torch::empty({plans[i].out});
  }
  unpack_sit(plan, parts, layer_places(out), omp_get_max_threads());
  return out;
}

std::shared_ptr<WeightCache> make_weight_cache() {
  return std::make_shared<WeightCache>();
}

std::shared_ptr<const PackedWeights> WeightCache::get(const SitTrunk& trunk,
                                                      const std::vector<torch::Tensor>& weights) {
  const std::lock_guard lock(mutex_);
  if (last_ == nullptr || !last_->stamps().are_of(weights)) {
    auto plan =
        last_ == nullptr ? std::make_shared<const cpu::Plan>(make_plan(trunk.size)) : last_->shared_plan();
    last_.reset();  // before the next one is made: two packings would double the memory
    last_ = std::make_shared<const PackedWeights>(trunk, std::move(plan));
  }
  return last_;
}

}  // namespace cvf::kernels

#include "train/validation.hpp"

namespace cvf::train {

Numbers Verdict::numbers() const {
  return {{"rollout_error", rollout_error}, {"evaluations", evaluations}, {"diverged", diverged}};
}

Validation::Validation(const Materials& materials, const RunOptions&) : source_(materials.source) {}

Verdict Validation::judge(const model::TrainedModel&, Team&) const {
  return {};
}

}  // namespace cvf::train

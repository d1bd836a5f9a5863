// The networks of the runtime: those of the fields room, with their weights packed for the CPU kernels.
#pragma once

#include <vector>

#include "kernels/conv_plan.hpp"
#include "kernels/mlp_plan.hpp"
#include "kernels/sit_plan.hpp"
#include "runtime/modulation.hpp"
#include "runtime/network.hpp"

namespace cvf::runtime {

class Conv : public Network {
 public:
  using Options = fields::ConvOptions;
  Conv(const fields::StateShape& shape, const Options& options, const Weights& weights);

  void forward(const Query& query, float* psi, int threads) const override;
  double flops() const override;
  bool any_grid() const override { return true; }
  std::shared_ptr<const Network> on_grid(std::int64_t height, std::int64_t width) const override;

 private:
  struct Parts {  // what does not depend on the grid
    fields::StateShape shape;
    Options options;
    Modulation modulation;
    kernels::Buffer packed;
  };
  Conv(std::shared_ptr<const Parts> parts, std::shared_ptr<const kernels::ConvLayout> layout)
      : parts_(std::move(parts)), layout_(std::move(layout)) {}

  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const kernels::ConvLayout> layout_;
};

class Sit : public Network {
 public:
  using Options = fields::SitOptions;
  Sit(const fields::StateShape& shape, const Options& options, const Weights& weights);

  void forward(const Query& query, float* psi, int threads) const override;
  double flops() const override;

 private:
  std::int64_t channels_;  // of the state
  Modulation modulation_;
  std::unique_ptr<const kernels::cpu::Plan> plan_;
  kernels::Buffer packed_;
};

class Mlp : public Network {
 public:
  using Options = fields::MlpOptions;
  Mlp(const fields::StateShape& shape, const Options& options, const Weights& weights);

  void forward(const Query& query, float* psi, int threads) const override;
  double flops() const override;

 private:
  Modulation modulation_;
  std::unique_ptr<const kernels::MlpLayout> layout_;
  kernels::Buffer packed_;
};

}  // namespace cvf::runtime

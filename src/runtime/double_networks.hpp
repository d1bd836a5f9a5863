// The networks in double precision, on plain loops, for models that were trained so: some ten times slower
// than those of float, which have kernels of their own.
#pragma once

#include "kernels/sizes.hpp"
#include "runtime/double_layers.hpp"

namespace cvf::runtime {

class DoubleMlp : public NetworkOf<double> {
 public:
  DoubleMlp(const fields::StateShape& shape, const fields::MlpOptions& options,
            const WeightsOf<double>& weights);
  void forward(const QueryOf<double>& query, double* psi, int threads) const override;
  double flops() const override;

 private:
  struct Block {
    DoubleLayer expand, contract;
  };
  DoubleModulation modulation_;
  DoubleLayer input_, output_;
  std::vector<Block> blocks_;
};

class DoubleSit : public NetworkOf<double> {
 public:
  DoubleSit(const fields::StateShape& shape, const fields::SitOptions& options,
            const WeightsOf<double>& weights);
  void forward(const QueryOf<double>& query, double* psi, int threads) const override;
  double flops() const override;

 private:
  struct Block {
    DoubleLayer qkv, project, expand, contract;
  };
  void attend(const double* qkv, double* weights, double* out) const;

  std::size_t channels_;  // of the state
  kernels::SitSize size_;
  DoubleModulation modulation_;
  DoubleLayer patch_, output_;
  std::vector<double> positions_;
  std::vector<Block> blocks_;
};

class DoubleConv : public NetworkOf<double> {
 public:
  DoubleConv(const fields::StateShape& shape, const fields::ConvOptions& options,
             const WeightsOf<double>& weights);
  void forward(const QueryOf<double>& query, double* psi, int threads) const override;
  double flops() const override;
  bool any_grid() const override { return true; }
  std::shared_ptr<const NetworkOf<double>> on_grid(std::int64_t height, std::int64_t width) const override;

 private:
  struct Block {
    DoubleLayer spatial, mix;
  };
  struct Parts {  // what does not depend on the grid
    fields::StateShape shape;
    fields::ConvOptions options;
    DoubleModulation modulation;
    DoubleLayer lift, output;
    std::vector<Block> blocks;
  };
  DoubleConv(std::shared_ptr<const Parts> parts, std::int64_t height, std::int64_t width);
  std::vector<std::size_t> neighbours(std::int64_t dilation) const;

  std::shared_ptr<const Parts> parts_;
  kernels::ConvSize size_;
  std::int64_t rows_, columns_;                  // of cells
  std::vector<std::vector<std::size_t>> reach_;  // of the edges, then of each block: [taps, cells]
};

}  // namespace cvf::runtime

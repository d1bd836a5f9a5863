#include "runtime/double_networks.hpp"
#include "runtime/networks.hpp"

namespace cvf::runtime {
namespace {

std::size_t blocks_of(const fields::ConvOptions& options) {
  return static_cast<std::size_t>(options.depth) * options.dilations.size();
}
std::size_t blocks_of(const fields::SitOptions& options) {
  return static_cast<std::size_t>(options.depth);
}
std::size_t blocks_of(const fields::MlpOptions& /*any number*/) {
  return 0;
}

template <class Type, class DoubleType>
std::unique_ptr<Settings> settings_of() {
  struct Concrete : OptionsOf<Type, Settings> {
    double values(const fields::StateShape& shape) const override { return this->options.values(shape); }
    std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const override {
      return this->options.tensors(shape);
    }
    bool conditioned() const override { return this->options.conditioned; }
    NetworkPointerOf<double> build_double(const fields::StateShape& shape,
                                          const WeightsOf<double>& weights) const override {
      return std::make_shared<const DoubleType>(shape, this->options, weights);
    }
    std::size_t blocks() const override { return blocks_of(this->options); }
  };
  return std::make_unique<Concrete>();
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{{"conv", settings_of<Conv, DoubleConv>},
                                     {"sit", settings_of<Sit, DoubleSit>},
                                     {"mlp", settings_of<Mlp, DoubleMlp>}};
  return rows;
}

}  // namespace cvf::runtime

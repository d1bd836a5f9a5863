#include "onnx/networks.hpp"

namespace cvf::onnx {
namespace {

template <class Type>
std::unique_ptr<Settings> settings_of() {
  struct Concrete : OptionsOf<Type, Settings> {
    double values(const fields::StateShape& shape) const override { return this->options.values(shape); }
    std::vector<fields::TensorSize> tensors(const fields::StateShape& shape) const override {
      return this->options.tensors(shape);
    }
  };
  return std::make_unique<Concrete>();
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"conv", settings_of<Conv>}, {"sit", settings_of<Sit>}, {"mlp", settings_of<Mlp>}};
  return rows;
}

}  // namespace cvf::onnx

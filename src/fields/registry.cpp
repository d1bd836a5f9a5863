#include "fields/conv.hpp"
#include "fields/field.hpp"
#include "fields/mlp.hpp"
#include "fields/sit.hpp"

namespace cvf::fields {

std::span<const Row> registry() {
  static const std::vector<Row> rows{
      {"conv", "dilated residual convolutions, conditioned on the step (fields on a grid of any size)",
       settings_of<Conv>},
      {"sit", "transformer over patches, conditioned on the step (fields on a grid)", settings_of<Sit>},
      {"mlp", "residual network, conditioned on the step (small vector states)", settings_of<Mlp>},
  };
  return rows;
}

}  // namespace cvf::fields

// The three kinds on tensors.
#include <type_traits>

#include "normalizers/normalizer.hpp"

namespace cvf::normalizers {
namespace {

using torch::Tensor;

template <class Kind>
struct Of : Normalizer {
  using Normalizer::Normalizer;
  Affine den() const override { return Kind::den(sigma_state(), velocity_.mean, sigma_velocity()); }
  Tensor measured(const Tensor& v) const override {
    if constexpr (std::is_same_v<Kind, CascadedKind>) return v / per_channel(sigma_state(), v);
    if constexpr (std::is_same_v<Kind, SeparatedKind>) return v;
    return {};
  }
};

template <class Kind>
Row row() {
  return {Kind::name, Kind::summary,
          [](std::int64_t channels, const Options& options) -> std::unique_ptr<Normalizer> {
            return std::make_unique<Of<Kind>>(channels, options);
          }};
}

}  // namespace

std::span<const Row> registry() {
  static const std::vector<Row> rows{row<CascadedKind>(), row<SeparatedKind>(), row<SingleKind>()};
  return rows;
}

}  // namespace cvf::normalizers

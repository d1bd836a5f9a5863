#include "runtime/units.hpp"

#include <cmath>

#include "model/expected.hpp"
#include "normalizers/kinds.hpp"

namespace cvf::runtime {
namespace {

template <class Kind>
void set_den(Units& units, const std::vector<double>& velocity_mean,
             const std::vector<double>& velocity_variance) {
  for (std::size_t c = 0; c < units.sigma.size(); ++c) {
    const double sigma = std::sqrt(velocity_variance[c] + normalizers::velocity_epsilon);
    const auto den = Kind::den(units.sigma[c], velocity_mean[c], sigma);
    units.factor.push_back(den.factor);
    units.offset.push_back(den.offset);
  }
}

}  // namespace

Units units_of(std::int64_t channels, std::string_view kind, const std::string& file,
               const std::string& path) {
  std::vector<model::ExpectedTensor> expected;
  for (const auto* name : {"state_mean", "state_variance", "velocity_mean", "velocity_variance"})
    expected.push_back({name, model::safetensors::Dtype::f64, {channels}});
  const auto contents = model::safetensors::parse(file, path);
  const auto stored = model::matched(contents, path, expected);
  std::vector<std::vector<double>> values;
  for (const auto* tensor : stored) values.push_back(model::values_of<double>(*tensor));
  Units out{.mean = values[0], .sigma = {}, .factor = {}, .offset = {}};
  for (const double variance : values[1])
    out.sigma.push_back(std::sqrt(variance + normalizers::state_epsilon));
  const auto set = kind == normalizers::CascadedKind::name    ? set_den<normalizers::CascadedKind>
                   : kind == normalizers::SeparatedKind::name ? set_den<normalizers::SeparatedKind>
                                                              : set_den<normalizers::SingleKind>;
  set(out, values[2], values[3]);
  return out;
}

}  // namespace cvf::runtime

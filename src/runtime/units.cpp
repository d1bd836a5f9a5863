#include "runtime/units.hpp"

#include "model/expected.hpp"

namespace cvf::runtime {
namespace {

template <class Kind>
void set_den(Units& units, const normalizers::Options& options, const std::vector<double>& velocity_mean,
             const std::vector<double>& velocity_variance) {
  for (std::size_t c = 0; c < units.sigma.size(); ++c) {
    const double sigma =
        normalizers::velocity_deviation(velocity_variance[c], Kind::unit(units.sigma[c]), options);
    const auto den = Kind::den(units.sigma[c], velocity_mean[c], sigma);
    units.factor.push_back(den.factor);
    units.offset.push_back(den.offset);
  }
}

}  // namespace

Units units_of(std::int64_t channels, std::string_view kind, const normalizers::Options& options,
               const std::string& file, const std::string& path) {
  std::vector<model::ExpectedTensor> expected;
  for (const auto* name : {"state_mean", "state_variance", "velocity_mean", "velocity_variance"})
    expected.push_back({name, model::safetensors::Dtype::f64, {channels}});
  const auto contents = model::safetensors::parse(file, path);
  const auto stored = model::matched(contents, path, expected);
  std::vector<std::vector<double>> values;
  for (const auto* tensor : stored) values.push_back(model::values_of<double>(*tensor));
  Units out{.mean = values[0], .sigma = {}, .factor = {}, .offset = {}};
  for (std::size_t c = 0; c < values[1].size(); ++c)
    out.sigma.push_back(normalizers::state_deviation(values[1][c], values[0][c], options));
  const auto set = kind == normalizers::CascadedKind::name    ? set_den<normalizers::CascadedKind>
                   : kind == normalizers::SeparatedKind::name ? set_den<normalizers::SeparatedKind>
                                                              : set_den<normalizers::SingleKind>;
  set(out, options, values[2], values[3]);
  return out;
}

}  // namespace cvf::runtime

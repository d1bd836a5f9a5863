#include "objectives/parts/options.hpp"

namespace cvf::objectives {

void describe_spline(config::Section& section, std::string_view name, Spline& spline, bool with_none) {
  static constexpr std::pair<std::string_view, Spline> kinds[]{
      {"none", Spline::none}, {"cubic", Spline::cubic}, {"quintic", Spline::quintic}};
  section.choice<Spline>(name, spline, std::span(kinds).subspan(with_none ? 0 : 1),
                         "the curve through the observed frames whose velocity is learnt");
}

void describe_conditioned(config::Section& section, bool& conditioned) {
  section.key("conditioned", &conditioned, "true: the field sees dt; false: it is asked with dt = 0");
}

torch::Tensor shown(bool conditioned, const torch::Tensor& dt) {
  return conditioned ? dt : torch::zeros_like(dt);
}

}  // namespace cvf::objectives

// A host program that owns its state and its clock, and lets a trained model do the stepping: a pendulum that
// the host could integrate itself. Where the model's own doubt (NRE) is too large, the host does.
//   embed_example RUN [DT] [STEPS] [DOUBT]     RUN: a folder of cvf train, for example from
//   configs/pendulum.toml
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "embed/surrogate.hpp"

namespace {

using State = std::array<double, 2>;  // angle and angular velocity in physical units: the host's own memory

// The host's own, dependable solver: many short steps of the midpoint rule.
void own_solver(State& s, double dt) {
  constexpr int steps = 1000;
  const double h = dt / steps;
  for (int i = 0; i < steps; ++i) {
    const double angle = s[0] + h / 2 * s[1], velocity = s[1] - h / 2 * std::sin(s[0]);
    s = {s[0] + h * velocity, s[1] - h * std::sin(angle)};
  }
}

void simulate(const cvf::embed::Surrogate& model, double dt, int steps, double doubt) {
  State adaptive{1.2, 0.0}, truth = adaptive;
  std::array<float, 2> plain{1.2F, 0.0F};  // single precision works as well
  std::printf("%6s %9s | %9s %5s %5s %8s | %9s %8s\n", "time", "own", model.solver().c_str(), "steps", "eval",
              "NRE", "1 step", "NRE");
  for (int k = 1; k <= steps; ++k) {
    State before = adaptive;
    const cvf::embed::AdvanceResult result =
        model.advance(adaptive, dt);  // as many steps as the solver finds right
    const bool believed = result.reached && result.largest_nre() <= doubt;
    if (!believed) own_solver(before, dt), adaptive = before;

    const double plain_nre = model.nre(plain, dt);
    model.plain_step(plain, dt);  // one evaluation, whatever dt is
    own_solver(truth, dt);
    std::printf("%6.2f %9.5f | %9.5f %5zu %5lld %8.1e | %9.5f %8.1e%s\n", k * dt, truth[0], adaptive[0],
                result.steps.size(), static_cast<long long>(result.evaluations), result.largest_nre(),
                static_cast<double>(plain[0]), plain_nre, believed ? "" : "  own solver instead");
    if (!result.message.empty()) std::printf("       %s\n", result.message.c_str());
  }
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2) return std::fprintf(stderr, "usage: %s RUN [DT] [STEPS] [DOUBT]\n", words[0]), 2;
  cvf::embed::use_threads(1);  // the host has its own threads
  const auto model = cvf::embed::Surrogate::load(words[1], {"solver.name=gcs"});  // which judges its steps
  const double dt = count > 2 ? std::atof(words[2]) : model.longest_step();
  simulate(model, dt, count > 3 ? std::atoi(words[3]) : 10, count > 4 ? std::atof(words[4]) : 0.2);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

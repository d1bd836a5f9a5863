// Steps a batch of states with a trained model: step MODEL. Prints what came of it, value by value.
#include <cmath>
#include <cstdio>
#include <cvf/cvf.hpp>

namespace {

void print(const char* word, const std::vector<double>& values) {
  for (const double value : values) std::printf("%s %.10g\n", word, value);
}

void run(const char* folder) {
  const auto model = cvf::Surrogate::load(folder);
  const std::vector<double> dt{0.1, 0.2, 0.3}, longer{0.9, 0.8, 0.7}, when{0.25, 0.5};
  std::vector<double> states(dt.size() * model.state_size());
  for (std::size_t i = 0; i < states.size(); ++i) states[i] = std::sin(0.37 * static_cast<double>(i + 1));

  print("nre", model.nre<double>(states, dt));
  model.step<double>(states, dt);
  print("step", states);
  const auto results = model.advance<double>(states, longer);
  print("advance", states);
  for (const auto& result : results) std::printf("evaluations %d\n", static_cast<int>(result.evaluations));
  print("forecast", model.forecast<double>(states, when).states);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return CVF_USAGE;
  try {
    run(argv[1]);
  } catch (const cvf::SurrogateError& error) {
    std::fprintf(stderr, "step: %s\n", error.what());
    return error.code();
  }
}

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "data/source.hpp"
#include "generate/generate.hpp"
#include "study/tables.hpp"
#include "support/scratch.hpp"

namespace cvf::study {
namespace {

using testing_support::Scratch;

std::string oscillators(const Scratch& scratch, const std::string& system = "harmonic_oscillator") {
  generate::Options options;
  options.system = system;
  options.samples = 2;
  options.frames = 25;
  options.spacing = 0.1;
  if (system == "shallow_water") options.grid = "16";
  const std::string file = scratch.path(system + ".h5");
  generate::generate(options, file);
  return file;
}

// z = position - i velocity turns with e^{i t}, so both flows are multiplications by a complex number.
double closed_form(const std::string& file, int factor) {
  using Complex = std::complex<double>;
  const double h = 0.1;
  const Complex turn = std::polar(1.0, h);
  const Complex step = 1.0 + (std::polar(1.0, h * factor) - 1.0) / static_cast<double>(factor);
  const auto source = data::open(file, {});
  double squares = 0;
  for (std::size_t sample = 0; sample < 2; ++sample) {
    float first[2];
    source->read(sample, 0, 1, first);
    const Complex z0(static_cast<double>(first[0]), -static_cast<double>(first[1]));
    for (int k = 1; k < 25; ++k) squares += std::norm(z0 * (std::pow(step, k) - std::pow(turn, k))) / 2;
  }
  return std::sqrt(squares / 48);
}

TEST(SecantFloor, IsTheClosedFormOnAHarmonicOscillator) {
  const Scratch scratch;
  const auto file = oscillators(scratch);
  for (const int factor : {2, 8}) {
    const auto floor = secant_floor({.data_file = file, .test = "0:2", .factor = factor});
    ASSERT_TRUE(floor);
    EXPECT_NEAR(*floor, closed_form(file, factor), 1e-6 + 1e-5 * *floor);
  }
}

TEST(SecantFloor, VanishesWhenEveryFrameWasSeen) {
  const Scratch scratch;
  EXPECT_LT(*secant_floor({.data_file = oscillators(scratch), .test = "0:2", .factor = 1}), 1e-6);
}

TEST(SecantFloor, IsNotMadeUpForASystemThatCannotStartAnywhere) {
  const Scratch scratch;
  EXPECT_FALSE(
      secant_floor({.data_file = oscillators(scratch, "shallow_water"), .test = "0:1", .factor = 2}));
}

}  // namespace
}  // namespace cvf::study

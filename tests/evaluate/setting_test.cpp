// Totals are computed with the parameters of the file, against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluate/evaluate.hpp"
#include "generate/generate.hpp"
#include "metrics/kinds.hpp"
#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::evaluate {
namespace {

using testing_support::Scratch;

std::shared_ptr<const data::Source> generated(const Scratch& scratch, const std::string& options) {
  generate::Options made;
  config::Document::from_text(options, "test").read([&](config::Section& s) { made.describe(s); });
  generate::generate(made, scratch.path("data.h5"));
  return data::open(scratch.path("data.h5"));
}

/// A forecast in which nothing moves: every frame of a sample is its first.
class Still : public data::Source {
 public:
  Still(std::shared_ptr<const data::Source> truth, std::size_t sample)
      : truth_(std::move(truth)), sample_(sample), description_(truth_->description()) {
    description_.samples = 1;
    description_.frames = {description_.frames.at(sample)};
  }
  const data::Description& description() const override { return description_; }
  std::vector<double> times(std::size_t) const override { return truth_->times(sample_); }
  std::map<std::string, double> scalars(std::size_t) const override { return {}; }
  void read(std::size_t, std::size_t, std::size_t count, std::span<float> out) const override {
    for (std::size_t i = 0; i < count; ++i)
      truth_->read(sample_, 0, 1, out.subspan(i * description_.frame_size(), description_.frame_size()));
  }

 private:
  std::shared_ptr<const data::Source> truth_;
  std::size_t sample_;
  data::Description description_;
};

double energy(const metrics::Setting& setting, double angle, double velocity) {
  const auto state = torch::tensor({angle, velocity}, torch::kDouble).unsqueeze(0);
  return metrics::conserved_in(setting).at(0)->density(setting)(state).item<double>();
}

TEST(Parameters, ThatAFileWasGeneratedWithGiveItsEnergy) {
  const Scratch scratch;
  const auto source = generated(scratch,
                                "name = 'pendulum'\nsamples = 1\nframes = 3\nspacing = 0.1\n"
                                "[system]\ngravity = 4.0\nlength = 2.0");
  const auto setting = setting_of(*source, {});
  EXPECT_DOUBLE_EQ(energy(setting, 0.7, 0.3), 0.045 + 2 * (1 - std::cos(0.7)));
}

TEST(Parameters, GoThroughALongConfig) {
  std::string times = "0.0";
  for (int i = 1; i < 1500; ++i) times += fmt::format(", {}", 0.01 * i);
  const Scratch scratch;
  const auto source =
      generated(scratch, "name = 'pendulum'\nsamples = 1\ntimes = [" + times + "]\nsystem.gravity = 4.0");
  EXPECT_DOUBLE_EQ(energy(setting_of(*source, {}), 0.7, 0), 4 * (1 - std::cos(0.7)));
}

TEST(Parameters, AmongTheAttributesOfAnotherProgramsFileGiveItsEnergy) {
  const Scratch scratch;
  {
    auto root = data::hdf5::File::create(scratch.path("a.h5")).root();
    auto states = testing_support::write_counting(root, "s", {2, 3, 2});
    states.set("axes", "n,t,c");
    states.set("channels", "angle,velocity");
    root.set("system", "pendulum");
    root.set("gravity", 4.0);
  }
  const auto source = data::open(scratch.path("a.h5"));
  EXPECT_DOUBLE_EQ(energy(setting_of(*source, {}), 0.7, 0.3), 0.045 + 4 * (1 - std::cos(0.7)));
}

// The energy of the truth stays at that of its first state, by each sample's own gravity.
TEST(Parameters, OfEachSampleGiveItsEnergy) {
  const Scratch scratch;
  const auto source = generated(scratch,
                                "name = 'pendulum'\nsamples = 3\nframes = 20\nspacing = 0.2\n"
                                "[system]\ngravity_range = [4.0, 9.0]");
  for (std::size_t sample = 0; sample < 3; ++sample) {
    const auto result = evaluate_forecast(std::make_shared<Still>(source, sample), source, {sample});
    const auto* totals = result.parts.at(0).find("conserved");
    ASSERT_NE(totals, nullptr);
    EXPECT_LT(totals->value.value(), 1e-5) << "sample " << sample;
  }
}

}  // namespace
}  // namespace cvf::evaluate

#include "generate/generate.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <filesystem>

#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/interrupt.hpp"
#include "core/log.hpp"
#include "data/hdf5.hpp"
#include "data/source.hpp"
#include "support/scratch.hpp"

namespace cvf::generate {
namespace {

using testing_support::Scratch;

Options options_for(const std::string& toml) {
  Options options;
  config::Document::from_text(toml, "test").read([&](config::Section& s) { options.describe(s); });
  return options;
}

constexpr const char* small_reaction = "name='diffusion_reaction'\nsamples=5\ngrid='16x12'\nframes=4\n";

class GenerateTest : public testing::Test {
 protected:
  void SetUp() override { log::set_level(log::Level::quiet); }
  void TearDown() override { interrupt::clear(); }
  Scratch scratch_;
};

TEST_F(GenerateTest, WhatTheSystemComputesIsWhatTheFileHolds) {
  Options options = options_for(small_reaction);
  generate(options, scratch_.path("a.h5"));
  const auto source = data::open(scratch_.path("a.h5"));
  const auto& d = source->description();
  EXPECT_EQ(d.samples, 5U);
  EXPECT_EQ(d.state.size_along("x"), 16U);
  EXPECT_EQ(d.state.size_along("y"), 12U);
  EXPECT_EQ(d.channels(), (std::vector<std::string>{"u", "v"}));
  EXPECT_EQ(d.state.boundary(), "zero_flux");
  EXPECT_EQ(source->times(3), times_of(options, 3));

  const auto system = options.settings->build({12, 16});
  system->simulate({0, 3, 0}, source->times(3), [&](std::size_t frame, std::span<const double> planes) {
    std::vector<float> stored(d.frame_size());
    source->read(3, frame, 1, stored);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      ASSERT_EQ(stored[i], static_cast<float>(planes[i % 2 * 192 + i / 2]))
          << "frame " << frame << " value " << i;
    }
  });
  const auto scalars = source->scalars(3);
  EXPECT_GT(scalars.at("solver_steps"), 0);
  EXPECT_EQ(scalars.at("attempt"), 0);
}

TEST_F(GenerateTest, TheBytesDoNotDependOnTheNumberOfThreads) {
  Options options = options_for(small_reaction);
  omp_set_num_threads(1);
  generate(options, scratch_.path("one.h5"));
  omp_set_num_threads(4);
  generate(options, scratch_.path("four.h5"));
  EXPECT_EQ(files::read_whole(scratch_.path("one.h5")), files::read_whole(scratch_.path("four.h5")));
}

TEST_F(GenerateTest, AnInterruptedRunContinuesAndEqualsAnUnbrokenOne) {
  Options options = options_for(small_reaction);
  generate(options, scratch_.path("whole.h5"));
  interrupt::request();
  EXPECT_THROW(generate(options, scratch_.path("broken.h5")), Interrupted);
  interrupt::clear();
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("broken.h5")));
  EXPECT_TRUE(std::filesystem::exists(scratch_.path("broken.h5.part")));
  generate(options, scratch_.path("broken.h5"));
  EXPECT_EQ(files::read_whole(scratch_.path("whole.h5")), files::read_whole(scratch_.path("broken.h5")));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("broken.h5.part")));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("broken.h5.journal")));
}

TEST_F(GenerateTest, ABegunFileRefusesOtherSettings) {
  Options options = options_for(small_reaction);
  interrupt::request();
  EXPECT_THROW(generate(options, scratch_.path("a.h5")), Interrupted);
  interrupt::clear();
  Options other = options_for(std::string(small_reaction) + "seed=1\n");
  EXPECT_THROW(generate(other, scratch_.path("a.h5")), DataError);
}

TEST_F(GenerateTest, CompressedFilesHoldTheSameValues) {
  Options plain = options_for(small_reaction), packed = options_for(std::string(small_reaction) + "gzip=4\n");
  generate(plain, scratch_.path("plain.h5"));
  generate(packed, scratch_.path("packed.h5"));
  const auto a = data::open(scratch_.path("plain.h5")), b = data::open(scratch_.path("packed.h5"));
  std::vector<float> of_a(4 * a->description().frame_size()), of_b(of_a.size());
  for (std::size_t sample = 0; sample < 5; ++sample) {
    a->read(sample, 0, 4, of_a);
    b->read(sample, 0, 4, of_b);
    EXPECT_EQ(of_a, of_b);
    EXPECT_EQ(a->scalars(sample), b->scalars(sample));
    EXPECT_EQ(a->times(sample), b->times(sample));
  }
  EXPECT_EQ(b->description().attributes.at("system"), "diffusion_reaction");
}

TEST_F(GenerateTest, JitterMovesInnerFramesOnlyAndDiffersBySample) {
  const Options options = options_for("name='pendulum'\nframes=9\nspacing=0.5\njitter=0.8\n");
  const auto first = times_of(options, 0), second = times_of(options, 1);
  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), 4);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, times_of(options, 0));
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_GT(first[i], first[i - 1]);
  for (std::size_t i = 1; i + 1 < first.size(); ++i)
    EXPECT_LE(std::abs(first[i] - 0.5 * static_cast<double>(i)), 0.2);
}

TEST_F(GenerateTest, ForcesAndDrawnParametersAreInTheFileAndReproducible) {
  const std::string toml =
      "name='duffing'\nsamples=6\nframes=20\njitter=0.5\n[system]\nforce='noise'\nalpha_range=[0.5, 2.0]\n";
  Options options = options_for(toml);
  omp_set_num_threads(1);
  generate(options, scratch_.path("one.h5"));
  interrupt::request();
  EXPECT_THROW(generate(options, scratch_.path("two.h5")), Interrupted);
  interrupt::clear();
  omp_set_num_threads(3);
  generate(options, scratch_.path("two.h5"));
  EXPECT_EQ(files::read_whole(scratch_.path("one.h5")), files::read_whole(scratch_.path("two.h5")));
  Options packed = options_for("gzip=4\n" + toml);
  generate(packed, scratch_.path("packed.h5"));

  const auto system = system_of(options);
  for (const char* name : {"one.h5", "packed.h5"}) {
    const auto source = data::open(scratch_.path(name));
    EXPECT_EQ(source->description().state.names(Role::parameter), std::vector<std::string>{"alpha"});
    EXPECT_EQ(source->description().state.names(Role::control), std::vector<std::string>{"force"});
    EXPECT_EQ(source->control(4, "force"), system->controls({0, 4, 0}, source->times(4))[0]);
    EXPECT_NE(data::parameters_of(*source, 4), data::parameters_of(*source, 5));
  }
}

TEST_F(GenerateTest, AFileMadeBeforeAKeyExistedIsTheSameWhereTheKeyHasItsDefault) {
  const std::string path = scratch_.path("a.h5");
  Options options = options_for("name='pendulum'\nsamples=2\nframes=3\n");
  generate(options, path);
  {
    auto file = data::hdf5::File::extend(path);
    std::string config = *file.root().text("config");
    const std::string line = "gravity_range = []\n";
    const auto place = config.find(line);
    ASSERT_NE(place, std::string::npos);
    file.root().set("config", config.erase(place, line.size()));
    file.close();
  }
  EXPECT_EQ(generate(options, path).simulated, 0U);
  Options other = options_for("name='pendulum'\nsamples=2\nframes=3\n[system]\ngravity_range=[1.0, 2.0]\n");
  EXPECT_THROW(generate(other, path), DataError);
}

TEST_F(GenerateTest, ImpossibleWishesAreNamed) {
  const auto sentence = [&](const std::string& toml) -> std::string {
    try {
      Options options = options_for(toml);
      generate(options, scratch_.path("x.h5"));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(sentence("name='pendulum'\ngrid='8'\n"), "grid = 8: pendulum has a vector state and no grid");
  EXPECT_EQ(sentence("name='wave'\ngrid='8x8x8'\n"),
            "grid = 8x8x8: write 64 or 64x96 (columns x rows), each between 4 and 16384");
  EXPECT_EQ(sentence("name='wave'\ngrid='4294967312'\n"),
            "grid = 4294967312: write 64 or 64x96 (columns x rows), each between 4 and 16384");
  EXPECT_EQ(sentence("name='pendulum'\nspacing=inf\n"), "spacing = inf: the last time is not finite");
  EXPECT_EQ(sentence("name='pendulum'\ntimes=[0.0, 1.0, 1.0]\n"),
            "times: 1 follows 1; output times must increase");
  EXPECT_EQ(sentence("name='pendulm'\n").substr(0, 36), "test: name = 'pendulm' is not one of");
  EXPECT_EQ(sentence("name='pendulum'\n[system]\nx=1\n").substr(0, 31), "test: unknown key 'system.x' (k");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("x.h5.part")));
}

TEST_F(GenerateTest, AFileThatFitsNowhereIsRefusedBeforeItIsBegun) {
  const std::string path = scratch_.path("a.h5");
  for (const char* size : {"frames = 2000000000", "samples = 10000000\nframes = 100000"}) {
    Options options = options_for(std::string("name = 'pendulum'\n") + size);
    const std::string said = testing_support::sentence_of([&] { generate(options, path); });
    EXPECT_NE(said.find("are available; fewer samples or frames would fit"), std::string::npos) << said;
  }
  Options options = options_for("name = 'wave'\nsamples = 10000\nframes = 1000\ngrid = '4096'");
  EXPECT_NE(testing_support::sentence_of([&] { generate(options, path); }).find("on the disk, and "),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path("")));
}

}  // namespace
}  // namespace cvf::generate

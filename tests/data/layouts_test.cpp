// Layouts B to L from files written here.
#include <array>
#include <atomic>
#include <thread>

#include "support/scratch.hpp"
#include "support/tiny_files.hpp"

namespace cvf::data {
namespace {

using hdf5::File;
using testing_support::Frames;
using testing_support::Scratch;
using testing_support::sentence_of;
using testing_support::set_letters;
using testing_support::set_varying;
using testing_support::write_counting;
using testing_support::write_list;
using Names = std::vector<std::string>;

TEST(Fields, OfDifferentShapesAreRefused) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const char* name : {"density", "pressure", "Vx"}) write_counting(root, name, {2, 3, 4, 4});
  write_counting(root, "Vy", {2, 3, 4, 5});
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(sentence.find("a.h5: '/Vy': has 5 entries along y"), std::string::npos) << sentence;
}

TEST(Fields, OfOneDimensionAreRead) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const char* name : {"density", "pressure", "Vx"}) write_counting(root, name, {2, 3, 4});
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().channels(), (Names{"density", "pressure", "Vx"}));
  EXPECT_EQ(Frames(*source, 1).at(2, 0, 3, 2), 23.0F);
}

TEST(Tensor, LosesAnExtraLeadingAxisWithANote) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "tensor", {1, 2, 3, 4});
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().samples, 2u);
  EXPECT_EQ(Frames(*source, 1).at(2, 0, 3, 0), 23.0F);
  EXPECT_NE(source->description().notes.at(0).find("extra leading axis"), std::string::npos);
}

TEST(Tensor, OfDarcyFlowIsRefusedForLackOfTime) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "tensor", {2, 1, 4, 4});
  write_counting(root, "nu", {2, 4, 4});
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(sentence.find("a.h5: '/tensor': is Darcy flow"), std::string::npos) << sentence;
}

TEST(Incompressible, JoinsVelocityAndParticles) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "velocity", {2, 3, 4, 5, 2},
                 {.chunk = {1, 1, 4, 5, 2}, .deflate = 1, .shuffle = true});
  write_counting(root, "particles", {2, 3, 4, 5, 1});
  const std::vector<double> times{0, 1, 2, 10, 20, 40};
  root.create_dataset("t", {2, 3}).write(hdf5::Extents{0, 0}, hdf5::Extents{2, 3}, times.data());
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().channels(), (Names{"velocity_x", "velocity_y", "particles"}));
  EXPECT_EQ(source->times(1), (std::vector<double>{10, 20, 40}));
  const std::size_t place = ((1 * 3 + 2) * 4 + 3) * 5 + 1;  // sample 1, frame 2, x = 3, y = 1
  const Frames frames(*source, 1);
  EXPECT_EQ(frames.at(2, 1, 3, 1), static_cast<float>(place * 2 + 1));
  EXPECT_EQ(frames.at(2, 1, 3, 2), static_cast<float>(place));
}

TEST(TheWell, ReadsTensorsAndFieldsThatAreConstantAlongAnAxis) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  root.set("n_trajectories", std::int64_t{2});
  auto dimensions = root.create_group("dimensions");
  set_letters(dimensions, "spatial_dims", "xy");
  write_list(dimensions, "time", {0, 1, 2});
  write_list(dimensions, "x", {0, 1, 2, 3});
  write_list(dimensions, "y", {0, 1});
  set_varying(write_counting(root.create_group("t0_fields"), "depth", {4}), 0, 0, {1, 0});
  set_varying(write_counting(root.create_group("t2_fields"), "stress", {2, 3, 4, 2, 2, 2}), 1, 1, {1, 1});
  const auto source = open(scratch.path("a.h5"));
  EXPECT_EQ(source->description().channels(),
            (Names{"depth", "stress_xx", "stress_xy", "stress_yx", "stress_yy"}));
  EXPECT_EQ(source->description().state.names(Role::static_field), Names{"depth"})
      << "without time: a static field as well";
  EXPECT_EQ(source->static_field(1, "depth"), (std::vector<float>{0, 1, 2, 3, 0, 1, 2, 3}));
  const Frames frames(*source, 1);
  EXPECT_EQ(frames.at(2, 1, 3, 0), 3.0F);
  const std::size_t place = ((1 * 3 + 2) * 4 + 3) * 2 + 1;
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(frames.at(2, 1, 3, 1 + c), static_cast<float>(place * 4 + c));
}

TEST(Pairs, BecomeTrajectoriesOfTwoFrames) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "x", {3, 2, 4, 5});
  write_counting(root, "y", {3, 2, 4, 5});
  const auto source = open(scratch.path("a.h5"), {.dt = 0.25});
  EXPECT_EQ(source->description().frames, (std::vector<std::size_t>{2, 2, 2}));
  EXPECT_EQ(source->times(2), (std::vector<double>{0, 0.25}));
  const Frames frames(*source, 2), second(*source, 2, 1, 1);
  const float expected = ((2 * 2 + 1) * 4 + 3) * 5 + 2;
  EXPECT_EQ(frames.at(0, 3, 2, 1), expected);
  EXPECT_EQ(frames.at(1, 3, 2, 1), expected);
  EXPECT_EQ(second.at(0, 3, 2, 1), expected);
}

TEST(Pairs, OfDifferentShapesAreRefused) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "x", {3, 4, 5});
  write_counting(root, "y", {3, 7, 4, 5});
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(sentence.find("a.h5: '/x' (3 x 4 x 5) and '/y' (3 x 7 x 4 x 5) differ"), std::string::npos)
      << sentence;
}

TEST(PlainHdf5, ReadsAnyOrderOfAxes) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root.create_group("deep"), "u", {2, 3, 4, 5, 6}, {hdf5::Element::float64});  // c, x, y, t, n
  write_list(root.group("deep"), "time", {0, 1, 2, 3, 4});
  const auto source = open(scratch.path("a.h5"), {.dataset = "deep/u", .axes = "c,x,y,t,n"});
  const Description& about = source->description();
  EXPECT_EQ(about.samples, 6u);
  EXPECT_EQ(about.channels(), (Names{"c0", "c1"}));
  EXPECT_EQ(source->times(0).back(), 4.0);
  const Frames frames(*source, 5, 1, 3);
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 3; ++x) {
        for (std::size_t c = 0; c < 2; ++c) {
          EXPECT_EQ(frames.at(t, y, x, c), static_cast<float>((((c * 3 + x) * 4 + y) * 5 + t + 1) * 6 + 5));
        }
      }
    }
  }
}

TEST(PlainHdf5, TakesNeighboursWithOneNumberForEachSampleAsItsParameters) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (const std::string folder : {"", "deep/"}) {
    const auto group = folder.empty() ? root.again() : root.create_group("deep");
    write_counting(group, "u", {3, 4, 2});
    write_list(group, "nu", {1, 2, 4});
    write_list(group, "t", {0, 1, 2, 3});
    write_list(group, "notes", {0, 1});
    const auto source = open(scratch.path("a.h5"), {.dataset = folder + "u", .axes = "n,t,c"});
    EXPECT_EQ(source->description().state.names(Role::parameter), Names{"nu"}) << folder;
    EXPECT_EQ(parameters_of(*source, 2), std::vector<double>{4});
  }
}

TEST(PlainHdf5, ListsCandidatesRatherThanGuess) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "u", {2, 3, 4});
  write_counting(root.create_group("deep"), "v", {5, 6});
  const auto nothing = sentence_of([&] { open(scratch.path("a.h5")); });
  EXPECT_NE(nothing.find("deep/v (5 x 6), u (2 x 3 x 4)"), std::string::npos) << nothing;
  const auto no_axes = sentence_of([&] { open(scratch.path("a.h5"), {.dataset = "u"}); });
  EXPECT_NE(no_axes.find("a.h5: '/u'"), std::string::npos) << no_axes;
  EXPECT_NE(no_axes.find("give --axes"), std::string::npos) << no_axes;
}

TEST(PlainHdf5, ExplainsWrongAxes) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  write_counting(root, "u", {2, 3, 4});
  const auto attempt = [&](const std::string& axes) {
    return sentence_of([&] { open(scratch.path("a.h5"), {.dataset = "u", .axes = axes}); });
  };
  EXPECT_NE(attempt("t,x").find("name 2 axes, but the array has 3 (2 x 3 x 4)"), std::string::npos);
  EXPECT_NE(attempt("t,t,x").find("'t' twice"), std::string::npos);
  EXPECT_NE(attempt("t,q,x").find("'q' is no axis"), std::string::npos);
  EXPECT_NE(attempt("n,y,x").find("have no t"), std::string::npos);
  EXPECT_NE(attempt("n,t,y").find("y but no x"), std::string::npos);
}

TEST(ChannelNames, AreReadFromListsOfTextsOfEveryKind) {
  using testing_support::Texts;
  for (const auto kind : {Texts::fixed, Texts::padded, Texts::variable, Texts::characters}) {
    const Scratch scratch;
    {
      auto root = File::create(scratch.path("a.h5")).root();
      const auto states = write_counting(root, "u", {2, 3, 2});
      testing_support::set_texts(states, "channels", {"angle", "velocity"}, kind);
      testing_support::set_texts(states, "axes", {"n", "t", "c"}, kind);
      const auto grouped = File::create(scratch.path("b.h5")).root();
      grouped.create_group("0");
      write_counting(grouped, "0/data", {3, 2});
      testing_support::set_texts(grouped, "channels", {"angle", "velocity"}, kind);
    }
    EXPECT_EQ(open(scratch.path("a.h5"))->description().channels(), (Names{"angle", "velocity"}));
    EXPECT_EQ(open(scratch.path("b.h5"))->description().channels(), (Names{"angle", "velocity"}));
  }
}

TEST(ChannelNames, OfAnotherTypeAreRefused) {
  const Scratch scratch;
  {
    const auto root = File::create(scratch.path("a.h5")).root();
    const auto states = write_counting(root, "u", {2, 3, 2});
    const hdf5::Guard guard;
    const hdf5::Handle type(H5Tcreate(H5T_OPAQUE, 4)), space(H5Screate(H5S_SCALAR));
    const hdf5::Handle names(
        H5Acreate2(states.id(), "channels", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(H5Awrite(names.get(), type.get(), "a,b"), 0);
  }
  const auto sentence = sentence_of([&] { open(scratch.path("a.h5"), {"u", "n,t,c", 0}); });
  EXPECT_NE(sentence.find("a.h5: '/u': attribute 'channels' is neither text nor numbers"), std::string::npos)
      << sentence;
}

TEST(ChannelNames, ThatAreEmptyOrThereTwiceAreRefused) {
  const auto sentence_for = [](const char* names) {
    const Scratch scratch;
    {
      const auto root = File::create(scratch.path("a.h5")).root();
      write_counting(root, "u", {2, 3, 2}).set("channels", names);
      root.create_group("0");
      write_counting(root, "0/data", {3, 2}).set("channels", names);
    }
    return sentence_of([&] {
             open(scratch.path("a.h5"), {"u", "n,t,c", 0});
           }) +
           sentence_of([&] { open(scratch.path("a.h5")); });
  };
  for (const char* kind : {"u,u", "u,"}) {
    const auto sentences = sentence_for(kind);
    const std::string wanted =
        kind == std::string("u,") ? "has a channel without a name" : "two channels are named 'u'";
    const auto first = sentences.find(wanted);
    EXPECT_NE(first, std::string::npos) << sentences;
    EXPECT_NE(sentences.find(wanted, first + 1), std::string::npos) << sentences;
  }
}

TEST(Reading, GivesTheSameFromSeveralThreads) {
  const Scratch scratch;
  auto root = File::create(scratch.path("a.h5")).root();
  for (int key = 0; key < 8; ++key) {
    write_counting(root.create_group(std::to_string(key)), "data", {16, 8, 8, 2},
                   {.chunk = {4, 8, 8, 1}, .deflate = 1});
  }
  const auto source = open(scratch.path("a.h5"));
  const auto expected = Frames(*source, 0).values();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < 50; ++i) wrong += Frames(*source, (i + thread) % 8).values() != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cvf::data

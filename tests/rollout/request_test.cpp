// What a forecast may be asked for, and what is refused before anything is computed.
#include "rollout/request.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "rollout/tensors/model.hpp"
#include "support/memory_source.hpp"
#include "support/scratch.hpp"

namespace cvf::rollout {
namespace {

using testing_support::MemorySource;
using testing_support::sentence_of;
using Values = std::vector<double>;

// Two channels, no grid; the second sample has one frame only. Frames are half a second apart.
class Requests : public testing::Test {
 protected:
  MemorySource source_{{4, 1}, 1, 1, {"x", "y"}, [](std::size_t, std::size_t frame, std::size_t i) {
                         return frame == 3 && i == 1 ? INFINITY : static_cast<float>(10 * frame + i);
                       }};
  void SetUp() override {
    source_.time = [](std::size_t, std::size_t frame) { return 0.5 * static_cast<double>(frame); };
  }

  Values times(const Request& request, std::size_t sample = 0) { return request.times_of(source_, sample); }
  template <class Fault>
  std::string refusal(const Request& request, std::size_t sample = 0) {
    return sentence_of<Fault>([&] { times(request, sample); });
  }
};

TEST_F(Requests, GoByTheFileUnlessToldOtherwise) {
  EXPECT_EQ(times({}), (Values{0, 0.5, 1, 1.5}));
  EXPECT_EQ(times({.from_frame = 1}), (Values{0.5, 1, 1.5}));
  EXPECT_EQ(times({.until = 1.2}), (Values{0, 0.5, 1, 1.2}));
  EXPECT_EQ(times({.until = 2.5}), (Values{0, 0.5, 1, 1.5, 2, 2.5}));
  EXPECT_EQ(times({.until = 3}, 1), (Values{0, 3}));
  EXPECT_EQ(times({.times = {0.1, 9}}), (Values{0, 0.1, 9}));
}

TEST_F(Requests, CountTheirFramesWithoutMakingThem) {
  for (const Request& request : {Request{}, Request{.from_frame = 1}, Request{.until = 2.5},
                                 Request{.from_frame = 2, .until = 2.5}, Request{.times = {0.1, 9}}}) {
    EXPECT_EQ(request.frames_of(source_, 0), static_cast<double>(times(request).size()));
  }
  EXPECT_EQ(Request{.until = 3}.frames_of(source_, 1), 2);
  EXPECT_GT(Request{.until = 1e300}.frames_of(source_, 0), 1e299);
}

TEST_F(Requests, RefuseTimesThatDoNotIncrease) {
  EXPECT_EQ(refusal<DataError>({.from_frame = 1, .times = {0.1}}),
            "memory: sample 0: target time 0.1 lies before its start at 0.5");
  EXPECT_EQ(refusal<DataError>({.times = {2, 1}}),
            "memory: sample 0: target time 1 comes after 2; targets must increase");
  EXPECT_EQ(refusal<DataError>({.times = {1, 1}}), "memory: sample 0: target time 1 is there twice");
  EXPECT_EQ(refusal<DataError>({.times = {0, 1}}), "memory: sample 0: the time 0 is there twice");
  EXPECT_EQ(refusal<DataError>({.times = {1, INFINITY}}), "memory: sample 0: target time 1 is inf");
  EXPECT_EQ(refusal<UsageError>({.until = -1}), "--until -1: sample 0 starts at 0");
  EXPECT_EQ(refusal<UsageError>({.until = INFINITY}), "--until inf: give the last time as a finite number");
}

TEST_F(Requests, RefuseFramesThatAreNotThere) {
  EXPECT_EQ(refusal<UsageError>({.from_frame = 4}), "--from 4: sample 0 has 4 frames");
  EXPECT_EQ(refusal<DataError>({}, 1),
            "memory: sample 1 has no frame after frame 0; say how far to go with --until or --times");
  EXPECT_EQ(refusal<DataError>({.from_frame = 3}),
            "memory: sample 0 has no frame after frame 3; say how far to go with --until or --times");
}

TEST_F(Requests, GiveTheFrameToStartFromIfItIsFinite) {
  const std::size_t first[]{0};
  const auto given = Request{.from_frame = 2}.given(source_, first);
  EXPECT_EQ(tensor_of(given).sizes(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(tensor_of(given)[0][1].item<float>(), 21);
  EXPECT_EQ(
      sentence_of([&] { Request{.from_frame = 3}.given(source_, first); }),
      "memory: sample 0, frame 3, channel y holds inf; NaN or infinite in this sample: y 1 of 4; fill these "
      "values, or leave the sample out (cvf data convert --samples); cvf data audit lists all samples");
}

TEST_F(Requests, FitTheModelOrAreRefused) {
  model::TrainedModel model;
  model.spec.state.set_names(Role::state, {"x", "y"});
  EXPECT_NO_THROW(check_fits(source_, facts_of(model)));
  model.spec.state.set_axes({{"x", 8}});
  EXPECT_EQ(sentence_of([&] { check_fits(source_, facts_of(model)); }),
            "memory: has no grid, but the model was trained on a grid of 8 (x)");
  for (const std::vector<std::string>& others : {std::vector<std::string>{"u"}, {"y", "x"}, {"x", "z"}}) {
    model.spec.state.set_names(Role::state, others);
    EXPECT_EQ(
        sentence_of([&] { check_fits(source_, facts_of(model)); }),
        fmt::format("memory: has the channels x, y, but the model was trained on {}; --channels says which "
                    "of the file's they are, in this order",
                    text::join(others)));
  }
}

// What the model's first channel reads from frame 1, where x is 10 and y is 11.
float first_value(const data::Source& source) {
  std::vector<float> frame(2);
  source.read(0, 1, 1, frame);
  return frame[0];
}

TEST_F(Requests, FindTheModelsChannelsByName) {
  const auto source = std::make_shared<MemorySource>(source_);
  model::TrainedModel model;
  model.spec.state.set_names(Role::state, {"x", "y"});
  EXPECT_EQ(first_value(*fitted(source, facts_of(model))), 10);
  EXPECT_EQ(first_value(*fitted(source, facts_of(model), {"y", "x"})), 11) << "as the user says";
  model.spec.state.set_names(Role::state, {"y", "x"});
  EXPECT_EQ(first_value(*fitted(source, facts_of(model))), 11);
  model.spec.state.set_names(Role::state, {"angle", "velocity"});
  EXPECT_THROW(fitted(source, facts_of(model)), DataError);
  const auto named = fitted(source, facts_of(model), {"y", "x"});
  EXPECT_EQ(named->description().channels(), model.spec.state.names());
  EXPECT_EQ(first_value(*named), 11);
  EXPECT_EQ(sentence_of<UsageError>([&] { fitted(source, facts_of(model), {"x"}); }),
            "--channels x: the model has 2 channels, angle, velocity: name one of the file's for each");
  EXPECT_EQ(sentence_of([&] {
              fitted(source, facts_of(model), {"x", "yy"});
            }),
            "memory: no channel 'yy' (did you mean 'y'?)");
}

}  // namespace
}  // namespace cvf::rollout

#include "data/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "support/memory_source.hpp"

namespace cvf::data {
namespace {

using testing_support::MemorySource;

float noise(std::size_t sample, std::size_t frame, std::size_t index) {
  return static_cast<float>(RandomStream(sample, "noise", frame * 1000 + index).normal());
}

// A sound file: every value of a first frame its own random number, from which the later ones drift away.
float drift(std::size_t sample, std::size_t frame, std::size_t index) {
  return noise(sample, 0, index) + (frame > 0 ? 0.2F * noise(sample, frame, index) : 0);
}

std::shared_ptr<MemorySource> make_source(MemorySource::Value value, std::size_t samples = 20) {
  auto source = std::make_shared<MemorySource>(std::vector<std::size_t>(samples, 6), 4, 5,
                                               std::vector<std::string>{"u", "v"}, std::move(value));
  source->time = [](std::size_t, std::size_t frame) { return 0.1 * static_cast<double>(frame); };
  return source;
}

const Finding* find_kind(const Audit& audit, const std::string& kind) {
  for (const auto& finding : audit.findings) {
    if (finding.kind == kind) return &finding;
  }
  return nullptr;
}

Audit audit_of(const Source& source, AuditOptions options = {}) {
  return audit(source, make_splits({}, source.description().samples), options);
}

TEST(Audit, ASoundFileIsClean) {
  const Audit result = audit_of(*make_source(drift));
  EXPECT_TRUE(result.clean());
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.initial_classes, 20U);
  EXPECT_NEAR(result.ranges[0].mean, 0, 0.15);
  EXPECT_NEAR(result.ranges[1].deviation, 1, 0.1);
}

TEST(Audit, FindsBrokenNumbersAndSaysWhere) {
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    return sample == 7 && frame == 3 && index == 5 ? NAN : drift(sample, frame, index);
  }));
  const Finding* finding = find_kind(result, "non-finite");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->sentence, "sample 7: 1 values are NaN or infinite (v 1), first in frame 3, channel v");
  EXPECT_FALSE(result.clean());
}

TEST(Audit, FindsAConstantChannelAndFrozenFrames) {
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    return index % 2 == 1 ? 3.0F : drift(sample, sample == 4 && frame > 2 ? 2 : frame, index);
  }));
  ASSERT_NE(find_kind(result, "constant channel"), nullptr);
  EXPECT_EQ(find_kind(result, "constant channel")->sentence, "channel v is 3 everywhere");
  ASSERT_NE(find_kind(result, "repeated frames"), nullptr);
  EXPECT_EQ(find_kind(result, "repeated frames")->sentence,
            "sample 4: 3 of 6 frames equal the frame before, first frame 3");
}

TEST(Audit, FramesWithoutAnyValueAreNotRepeatedFrames) {
  const float missing = std::numeric_limits<float>::quiet_NaN();
  const Audit empty = audit_of(*make_source([&](auto sample, auto frame, auto index) {
    return sample == 4 && frame >= 2 ? missing : drift(sample, frame, index);
  }));
  EXPECT_EQ(find_kind(empty, "repeated frames"), nullptr);
  const Audit partly = audit_of(*make_source([&](auto sample, auto frame, auto index) {
    if (index == 0) return missing;
    return sample == 4 && frame >= 2 ? 1.0F : drift(sample, frame, index);
  }));
  EXPECT_NE(find_kind(partly, "repeated frames"), nullptr);
}

TEST(Audit, CountsClassesOfCopiesAndLeakageIntoTheTest) {
  // Sample 19 (test) repeats sample 3 (train) wholly; 18 (test) shares only its first frame with sample 5.
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    if (sample == 19) return drift(3, frame, index);
    if (sample == 18 && frame == 0) return drift(5, 0, index);
    return drift(sample, frame, index);
  }));
  EXPECT_EQ(result.initial_classes, 18U);
  EXPECT_EQ(result.trajectory_classes, 19U);
  EXPECT_EQ(result.largest_class, 2U);
  EXPECT_EQ(result.leaked_test, 2U);
  EXPECT_EQ(result.leaked_validation, 0U);
  ASSERT_NE(find_kind(result, "duplicate trajectories"), nullptr);
  EXPECT_EQ(find_kind(result, "duplicate trajectories")->samples, (std::vector<std::size_t>{3, 19}));
  EXPECT_EQ(find_kind(result, "duplicate initial frames")->samples, (std::vector<std::size_t>{3, 5, 18, 19}));
}

TEST(Audit, FindsNearDuplicatesOnlyWithinTheGivenShare) {
  const auto source = make_source([](auto sample, auto frame, auto index) {
    return sample == 17 ? drift(2, frame, index) * 1.0005F : drift(sample, frame, index);
  });
  const Audit result = audit_of(*source);
  ASSERT_NE(find_kind(result, "near-duplicates"), nullptr);
  EXPECT_EQ(find_kind(result, "near-duplicates")->samples, (std::vector<std::size_t>{2, 17}));
  EXPECT_EQ(result.leaked_validation, 1U);
  EXPECT_TRUE(audit_of(*source, {1e-4}).clean());
  EXPECT_TRUE(audit_of(*source, {0}).clean());
}

TEST(Audit, RemarksOnTimesButDoesNotCallThemFaults) {
  const auto source = make_source(drift);
  source->time = [](std::size_t sample, std::size_t frame) {
    return 0.1 * static_cast<double>(frame) + (sample == 2 && frame == 3 ? 0.05 : 0);
  };
  const Audit result = audit_of(*source);
  EXPECT_TRUE(result.clean());
  ASSERT_NE(find_kind(result, "uneven times"), nullptr);
  EXPECT_EQ(find_kind(result, "uneven times")->samples, std::vector<std::size_t>{2});
  EXPECT_EQ(find_kind(result, "differing times")->samples, std::vector<std::size_t>{2});
}

TEST(Audit, NamesNoise) {
  const Audit result = audit_of(*make_source(noise));
  EXPECT_FALSE(result.clean());
  ASSERT_NE(find_kind(result, "unrelated frames"), nullptr);
  EXPECT_NE(find_kind(result, "unrelated frames")->sentence.find("the values are noise"), std::string::npos);
  EXPECT_NEAR(result.frame_correlation, 0, 0.1);
  EXPECT_GT(audit_of(*make_source(drift)).frame_correlation, 0.9);
}

// A wave that moves on by a third of the grid from frame to frame is no noise, and neither is an oscillator
// seen four times in a period.
TEST(Audit, TellsNoiseFromFastMotion) {
  const auto wave = std::make_shared<MemorySource>(
      std::vector<std::size_t>(30, 12), 1, 64, std::vector<std::string>{"u"},
      [](std::size_t sample, std::size_t frame, std::size_t index) {
        const double x = static_cast<double>(index) / 64, shift = 0.31 * static_cast<double>(frame * frame);
        const double phase = static_cast<double>(noise(sample, 0, 0)) * 10;
        return static_cast<float>(std::sin(2 * M_PI * (2 * x - shift) + phase));
      });
  const Audit fast = audit_of(*wave);
  ASSERT_NE(find_kind(fast, "unrelated frames"), nullptr);
  EXPECT_EQ(find_kind(fast, "unrelated frames")->severity, Severity::remark);
  const auto pendulum = std::make_shared<MemorySource>(
      std::vector<std::size_t>(30, 12), 1, 1, std::vector<std::string>{"q", "p"},
      [](std::size_t sample, std::size_t frame, std::size_t index) {
        const double angle = M_PI / 2 * static_cast<double>(frame + index) + 10 * noise(sample, 0, 0);
        return static_cast<float>(std::cos(angle));
      });
  EXPECT_EQ(find_kind(audit_of(*pendulum), "unrelated frames"), nullptr);
}

TEST(Audit, NamesAxesThatAreTheOtherWayRound) {
  const auto swapped =
      make_source([](auto sample, auto frame, auto index) { return drift(frame, sample, index); });
  const Audit result = audit_of(*swapped);
  ASSERT_NE(find_kind(result, "axes"), nullptr);
  EXPECT_EQ(find_kind(result, "axes")->severity, Severity::fault);
  EXPECT_NE(find_kind(result, "axes")->sentence.find("n and t the other way round"), std::string::npos);
  EXPECT_EQ(find_kind(audit_of(*make_source(drift)), "axes"), nullptr);
}

TEST(Audit, NamesASpacingThatContradictsTheTimes) {
  const auto with = [](const char* name, const char* value) {
    const auto source = make_source(drift);
    source->describe().attributes[name] = value;
    return audit_of(*source);
  };
  const Audit wrong = with("dt", "0.07");
  ASSERT_NE(find_kind(wrong, "contradicting spacing"), nullptr);
  EXPECT_EQ(find_kind(wrong, "contradicting spacing")->sentence,
            "the attribute dt is 0.07, but the frames are 0.1 apart: which of them is right?");
  EXPECT_FALSE(wrong.clean());
  const Audit steps = with("dt", "0.01");
  EXPECT_TRUE(steps.clean()) << "ten steps of a simulation";
  ASSERT_NE(find_kind(steps, "contradicting spacing"), nullptr);
  EXPECT_TRUE(with("dt", "0.1").findings.empty());
  EXPECT_TRUE(with("dt", "unknown").findings.empty());
  EXPECT_FALSE(with("dx", "0.5").clean());
}

// A slow wave in both channels, and noise in the second.
TEST(Audit, RemarksOnNoiseAboveATenthOfTheSpread) {
  const auto audit_with = [](double deviation) {
    MemorySource source(
        std::vector<std::size_t>(20, 12), 4, 5, {"u", "v"},
        [&](std::size_t sample, std::size_t frame, std::size_t index) {
          const double wave = std::sin(0.1 * static_cast<double>(frame + 7 * sample + index));
          return static_cast<float>(wave + (index % 2 == 1 ? deviation * noise(sample, frame, index) : 0));
        });
    source.time = [](std::size_t, std::size_t frame) { return 0.1 * static_cast<double>(frame); };
    return audit_of(source, {.near = 0});
  };
  const Audit little = audit_with(0.05), much = audit_with(0.2);
  EXPECT_EQ(little.noise.at(0).deviation, 0);
  EXPECT_NEAR(little.noise.at(1).deviation, 0.05, 0.005);
  EXPECT_EQ(find_kind(little, "noise"), nullptr);
  const Finding* finding = find_kind(much, "noise");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::remark);
  EXPECT_NE(finding->sentence.find("channel v has noise of about 0.2"), std::string::npos)
      << finding->sentence;
}

}  // namespace
}  // namespace cvf::data

#include "data/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "support/memory_source.hpp"

namespace cvf::data {
namespace {

using testing_support::MemorySource;

// A sound file: every value its own random number.
float noise(std::size_t sample, std::size_t frame, std::size_t index) {
  return static_cast<float>(RandomStream(sample, "noise", frame * 1000 + index).normal());
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
  const Audit result = audit_of(*make_source(noise));
  EXPECT_TRUE(result.clean());
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.initial_classes, 20U);
  EXPECT_NEAR(result.ranges[0].mean, 0, 0.15);
  EXPECT_NEAR(result.ranges[1].deviation, 1, 0.1);
}

TEST(Audit, FindsBrokenNumbersAndSaysWhere) {
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    return sample == 7 && frame == 3 && index == 5 ? NAN : noise(sample, frame, index);
  }));
  const Finding* finding = find_kind(result, "non-finite");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->sentence, "sample 7: 1 values are NaN or infinite, first in frame 3, channel v");
  EXPECT_FALSE(result.clean());
}

TEST(Audit, FindsAConstantChannelAndFrozenFrames) {
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    return index % 2 == 1 ? 3.0F : noise(sample, sample == 4 && frame > 2 ? 2 : frame, index);
  }));
  ASSERT_NE(find_kind(result, "constant channel"), nullptr);
  EXPECT_EQ(find_kind(result, "constant channel")->sentence, "channel v is 3 everywhere");
  ASSERT_NE(find_kind(result, "repeated frames"), nullptr);
  EXPECT_EQ(find_kind(result, "repeated frames")->sentence,
            "sample 4: 3 of 6 frames equal the frame before, first frame 3");
}

TEST(Audit, CountsClassesOfCopiesAndLeakageIntoTheTest) {
  // Sample 19 (test) repeats sample 3 (train) wholly; 18 (test) shares only its first frame with sample 5.
  const Audit result = audit_of(*make_source([](auto sample, auto frame, auto index) {
    if (sample == 19) return noise(3, frame, index);
    if (sample == 18 && frame == 0) return noise(5, 0, index);
    return noise(sample, frame, index);
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
    return sample == 17 ? noise(2, frame, index) * 1.0005F : noise(sample, frame, index);
  });
  const Audit result = audit_of(*source);
  ASSERT_NE(find_kind(result, "near-duplicates"), nullptr);
  EXPECT_EQ(find_kind(result, "near-duplicates")->samples, (std::vector<std::size_t>{2, 17}));
  EXPECT_EQ(result.leaked_validation, 1U);
  EXPECT_TRUE(audit_of(*source, {1e-4}).clean());
  EXPECT_TRUE(audit_of(*source, {0}).clean());
}

TEST(Audit, RemarksOnTimesButDoesNotCallThemFaults) {
  const auto source = make_source(noise);
  source->time = [](std::size_t sample, std::size_t frame) {
    return 0.1 * static_cast<double>(frame) + (sample == 2 && frame == 3 ? 0.05 : 0);
  };
  const Audit result = audit_of(*source);
  EXPECT_TRUE(result.clean());
  ASSERT_NE(find_kind(result, "uneven times"), nullptr);
  EXPECT_EQ(find_kind(result, "uneven times")->samples, std::vector<std::size_t>{2});
  EXPECT_EQ(find_kind(result, "differing times")->samples, std::vector<std::size_t>{2});
}

}  // namespace
}  // namespace cvf::data

#include <gtest/gtest.h>

#include <thread>

#include "core/log.hpp"

namespace cvf {
namespace {

std::string last_line_of(double limit) {
  log::set_level(log::Level::normal);  // whatever the tests before have left
  testing::internal::CaptureStderr();
  {
    Progress progress("train", 1'000'000'000'000, "steps");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    progress.limit(limit);
    progress.advance();
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, LeavesNoMoreTimeThanItsLimit) {
  EXPECT_NE(last_line_of(0).find(", 0.0 s left"), std::string::npos);
  EXPECT_NE(last_line_of(-5).find(", 0.0 s left"), std::string::npos);
  const auto line = last_line_of(480);
  EXPECT_TRUE(line.find(", 8 min 00 s left") != std::string::npos ||
              line.find(", 7 min ") != std::string::npos)
      << line;
  EXPECT_NE(last_line_of(1e300).find(" h "), std::string::npos) << "the speed alone";
}

}  // namespace
}  // namespace cvf

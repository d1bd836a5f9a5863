#include "core/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

namespace cvf {
namespace {

TEST(Machine, IsToldWithoutTheNameOfItsHost) {
  const std::string told = machine();
  EXPECT_TRUE(std::regex_match(told, std::regex(".+, [0-9]+ threads, [A-Za-z]+ [A-Za-z0-9_]+"))) << told;
}

TEST(Today, IsTheDayOfTheClockOrOfTheEnvironment) {
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_TRUE(std::regex_match(today(), std::regex("20[0-9]{2}-[01][0-9]-[0-3][0-9]"))) << today();
  setenv("SOURCE_DATE_EPOCH", "951782400", 1);
  EXPECT_EQ(today(), "2000-02-29");
  setenv("SOURCE_DATE_EPOCH", "tomorrow", 1);
  EXPECT_NE(today(), "2000-02-29");
  unsetenv("SOURCE_DATE_EPOCH");
}

}  // namespace
}  // namespace cvf

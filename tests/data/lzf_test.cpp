// The LZF decoder against streams written by hand.
#include "data/lzf.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace cvf::data::lzf {
namespace {

using Stream = std::vector<std::uint8_t>;

std::optional<std::string> unpack(const Stream& packed, std::size_t room) {
  Stream unpacked(room);
  const auto size = decode(packed, unpacked);
  if (!size) return std::nullopt;
  return std::string(unpacked.begin(), unpacked.begin() + static_cast<long>(*size));
}

TEST(Lzf, CopiesLiterals) {
  EXPECT_EQ(unpack({2, 'a', 'b', 'c', 0, 'd'}, 4), "abcd");
}

TEST(Lzf, RepeatsARunThatOverlapsItself) {
  EXPECT_EQ(unpack({0, 'a', 3 << 5, 0}, 6), "aaaaaa");                  // length 3 + 2 from 1 back
  EXPECT_EQ(unpack({1, 'a', 'b', 1 << 5, 1}, 5), "ababa");              // length 1 + 2 from 2 back
  EXPECT_EQ(unpack({0, 'a', 7 << 5, 4, 0}, 14), std::string(14, 'a'));  // length 7 + 4 + 2
}

TEST(Lzf, ReachesFarBack) {
  Stream packed;
  for (int i = 0; i < 300; ++i) packed.insert(packed.end(), {0, static_cast<std::uint8_t>(i % 251)});
  packed.insert(packed.end(), {1 << 5 | 1, 43});  // 256 + 43 + 1 = 300 back: the very first byte
  const auto unpacked = unpack(packed, 303);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->substr(300), std::string("\x00\x01\x02", 3));
}

TEST(Lzf, RefusesBrokenStreams) {
  EXPECT_FALSE(unpack({5, 'a'}, 10));                  // literals cut short
  EXPECT_FALSE(unpack({0, 'a', 1 << 5, 1}, 10));       // two back where there is one
  EXPECT_FALSE(unpack({1 << 5, 0}, 10));               // back into nothing
  EXPECT_FALSE(unpack({0, 'a', 7 << 5, 255, 0}, 10));  // more than fits
  EXPECT_FALSE(unpack({2, 'a', 'b', 'c'}, 2));         // literals that do not fit
  EXPECT_FALSE(unpack({0, 'a', 7 << 5}, 300));         // length cut short
  EXPECT_FALSE(unpack({0, 'a', 7 << 5, 1}, 300));      // distance cut short
}

TEST(Lzf, SurvivesNoise) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    Stream packed(random() % 64);
    for (auto& byte : packed) byte = static_cast<std::uint8_t>(random());
    const auto unpacked = unpack(packed, random() % 512);
    EXPECT_LE(unpacked.value_or("").size(), 512u);
  }
}

}  // namespace
}  // namespace cvf::data::lzf

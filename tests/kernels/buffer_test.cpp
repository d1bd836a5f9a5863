#include <gtest/gtest.h>

#include "kernels/memory.hpp"

namespace cvf::kernels {
namespace {

TEST(BufferOfFloats, TakesNoMoreThanAPageBeyondWhatWasAsked) {
  constexpr std::size_t floats = 50'000'001;  // more than other tests leave on the shelf
  EXPECT_LE(make_buffer(floats).get_deleter().bytes, floats * sizeof(float) + 4096);
}

TEST(BufferOfFloats, IsHandedOnToTheNextWhoNeedsAsMuch) {
  float* const first = make_buffer(80'000'001).get();
  EXPECT_EQ(make_buffer(80'000'000).get(), first);
}

}  // namespace
}  // namespace cvf::kernels

#include "systems/numpy_legacy.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"

namespace cvf::systems {
namespace {

// The expected bits were printed by NumPy itself.
void expect_normals(std::uint32_t seed, double first, double second, double third, double number_32768) {
  NumpyLegacy random(seed);
  EXPECT_EQ(random.normal(), first);
  EXPECT_EQ(random.normal(), second);
  EXPECT_EQ(random.normal(), third);
  for (int i = 3; i < 32767; ++i) random.normal();
  EXPECT_EQ(random.normal(), number_32768);
}

TEST(NumpyLegacy, DrawsTheSameNormalsAsRandnBitForBit) {
  expect_normals(0, 0x1.c398ef3e5cfa5p+0, 0x1.99c2cfacc8953p-2, 0x1.f51d25222c9abp-1, -0x1.e8a18af46d0acp-2);
  expect_normals(1, 0x1.9fd5190657c50p+0, -0x1.393822fb7d9adp-1, -0x1.0e6c872548fd2p-1, 0x1.5447adbc7268dp-2);
  expect_normals(999, 0x1.046b54eaece2ep-3, 0x1.66e25224d569ep+0, 0x1.425edc2143faap-2, 0x1.8d690ac069317p-1);
}

TEST(NumpyLegacy, DrawsTheSameUniformNumbersBitForBit) {
  EXPECT_EQ(NumpyLegacy(0).uniform(0.3, 0.7), 0.5195254015709299);
  EXPECT_EQ(NumpyLegacy(1).uniform(0.3, 0.7), 0.4668088018810296);
  EXPECT_EQ(NumpyLegacy(999).uniform(0.3, 0.7), 0.6213712160318752);
}

TEST(NumpyLegacy, KeepsTheSpareNormalAcrossAUniformDraw) {
  NumpyLegacy random(7);
  EXPECT_EQ(random.normal(), 0x1.b0c64ae2deb29p+0);
  EXPECT_EQ(random.uniform(2, 5), 0x1.3bc623f7646e3p+2);
  EXPECT_EQ(random.normal(), -0x1.dd1eafa1d414dp-2);
}

TEST(NumpyLegacy, TakesSeedsOf32BitsAndRefusesLargerOnes) {
  EXPECT_EQ(NumpyLegacy(numpy_seed(4294967295u, 0)).normal(), 0x1.4bfc38c486d8ap-1);
  EXPECT_EQ(numpy_seed(40, 2), 42u);
  EXPECT_THROW(numpy_seed(4294967295u, 1), ConfigError);
  EXPECT_THROW(numpy_seed(1, ~std::uint64_t{0}), ConfigError);
}

}  // namespace
}  // namespace cvf::systems

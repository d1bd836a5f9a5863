// LibTorch seeds its generator from the clock; every test begins from the same seed instead, alone or with
// others.
#include <gtest/gtest.h>

#include "core/torch.hpp"

namespace {

class SeedEachTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { torch::manual_seed(0); }
};

[[maybe_unused]] const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new SeedEachTest);
  return true;
}();

}  // namespace

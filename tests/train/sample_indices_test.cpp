// An ensemble's index is no parameter; a number that differs in each sample is one.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/files.hpp"
#include "support/archives.hpp"
#include "support/scratch.hpp"
#include "train/first_run.hpp"
#include "train/suggest.hpp"

namespace cvf::train {
namespace {

using testing_support::npy;
using testing_support::raw;
using testing_support::Scratch;
using Names = std::vector<std::string>;
using Numbers = std::map<std::string, std::vector<double>>;

/// Turning states of a few samples, each with the given numbers.
std::string write_samples(const Scratch& scratch, const Numbers& numbers) {
  const std::size_t count = numbers.begin()->second.size();
  std::vector<float> values;
  for (std::size_t i = 0; i < count * 24; ++i) {
    values.push_back(static_cast<float>(std::cos(0.2 * static_cast<double>(i))));
    values.push_back(static_cast<float>(std::sin(0.2 * static_cast<double>(i))));
  }
  std::vector<std::pair<std::string, std::string>> members{
      {"states.npy", npy("<f4", fmt::format("({}, 24, 2)", count), raw(values))}};
  for (const auto& [name, row] : numbers)
    members.emplace_back(name + ".npy", npy("<f8", fmt::format("({},)", count), raw(row)));
  const std::string file = scratch.path("a.npz");
  files::write_atomically(file, testing_support::zip(members, false));
  return file;
}

Names indices_among(const Numbers& numbers) {
  const Scratch scratch;
  return sample_indices(*data::open(write_samples(scratch, numbers), {.axes = "n,t,c"}));
}

TEST(SampleIndices, AreFoundByTheirValuesInAnyOrder) {
  EXPECT_EQ(indices_among({{"a", {0, 1, 2, 3}}}), (Names{"a"}));
  EXPECT_EQ(indices_among({{"a", {3, 1, 4, 2}}}), (Names{"a"}));
}

TEST(SampleIndices, AreFoundByTheirNames) {
  EXPECT_EQ(indices_among({{"Member", {7, 8, 7, 8}}}), (Names{"Member"}));
  EXPECT_EQ(indices_among({{"run_id", {10, 20, 30, 40}}}), (Names{"run_id"}));
}

TEST(SampleIndices, AreNotParametersThatDifferInEachSample) {
  EXPECT_EQ(indices_among({{"nu", {0.1, 0.2, 0.3, 0.4}}, {"re", {100, 200, 300, 400}}, {"k", {1, 2, 1, 2}}}),
            Names{});
  EXPECT_EQ(indices_among({{"case", {0.5, 1.5, 2.5, 3.5}}}), Names{});
}

TEST(FirstRun, LeavesOutAnIndexAndSaysSo) {
  const Scratch scratch;
  const std::string file =
      write_samples(scratch, {{"member", {0, 1, 2, 3, 4, 5}}, {"nu", {0.3, 0.1, 0.25, 0.15, 0.2, 0.4}}});
  DataOptions data;
  data.file = file;
  data.open.axes = "n,t,c";
  testing::internal::CaptureStderr();
  const std::string page = first_run(data, "a");
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(page.find("parameters = [\"nu\"]"), std::string::npos) << page;
  EXPECT_NE(page.find("# member counts the samples and is left out of the parameters"), std::string::npos)
      << page;
  EXPECT_NE(printed.find("member counts the samples and is left out of the parameters"), std::string::npos)
      << printed;
  EXPECT_EQ(page.find("sorted by 'member'"), std::string::npos) << page;
}

}  // namespace
}  // namespace cvf::train

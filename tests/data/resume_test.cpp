// A file that an earlier process did not finish, and what may have become of it and its journal since:
// whatever it was, the file comes out as if nothing had happened.
#include <gtest/gtest.h>

#include <fstream>

#include "core/files.hpp"
#include "data/groups_writer.hpp"
#include "support/has.hpp"
#include "support/scratch.hpp"

namespace cvf::data {
namespace {

const GroupsPlan plan{state_of({"u", "v"}, {{"y", 3, {0, 1, 2}}, {"x", 4, {0, 1, 2, 3}}}),
                      {{0, 1}, {0, 1, 2}, {0, 2}},
                      {"nu"},
                      {{"config", "a = 1"}}};

void make(GroupsWriter& writer, std::size_t sample) {
  std::vector<float> values(writer.plan().frame_size());
  for (std::size_t frame = 0; frame < plan.times[sample].size(); ++frame) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(100 * sample + 10 * frame + i);
    writer.write_frame(sample, frame, values);
  }
  writer.write_scalars(sample, std::vector<double>{0.5 + static_cast<double>(sample)});
  writer.finish_sample(sample);
}

class Resume : public testing::Test {
 protected:
  void SetUp() override {
    complete("whole.h5");
    GroupsWriter writer(scratch_.path("a.h5"), plan);
    for (const std::size_t sample : {0U, 2U}) make(writer, sample);
    writer.flush();
    for (const auto& name : left_) before_.push_back(bytes(name));
  }

  std::size_t complete(const std::string& name) {
    GroupsWriter writer(scratch_.path(name), plan);
    const std::size_t found = writer.completed();
    for (std::size_t sample = 0; sample < plan.samples(); ++sample) {
      if (!writer.complete(sample)) make(writer, sample);
    }
    writer.finish();
    return found;
  }
  // Returns how many samples it could go on from.
  std::size_t complete_with(const std::string& part, const std::string& journal) {
    write(left_[0], part);
    write(left_[1], journal);
    const std::size_t found = complete("a.h5");
    EXPECT_EQ(bytes("a.h5"), bytes("whole.h5"));
    std::filesystem::remove(scratch_.path("a.h5"));
    const std::filesystem::directory_iterator names(scratch_.path(""));
    EXPECT_EQ(std::distance(begin(names), end(names)), 1) << "more is left than whole.h5";
    return found;
  }
  std::string bytes(const std::string& name) const { return files::read_whole(scratch_.path(name)); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(scratch_.path(name), std::ios::binary) << content;
  }

  testing_support::Scratch scratch_;
  const std::vector<std::string> left_{"a.h5.part", "a.h5.journal"};
  std::vector<std::string> before_;
};

std::string flipped(std::string content, std::size_t place) {
  content.at(place) ^= static_cast<char>(1U << (place % 8));
  return content;
}

TEST_F(Resume, KeepsWhatIsSound) {
  EXPECT_EQ(complete_with(before_[0], before_[1]), 2U);
}

TEST_F(Resume, MakesASampleWithAFlippedBitAnew) {
  const float mark = 213;  // of frame 1 of sample 2
  const auto place = before_[0].find(std::string(reinterpret_cast<const char*>(&mark), sizeof mark));
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(complete_with(flipped(before_[0], place), before_[1]), 1U);
}

TEST_F(Resume, ComesToTheSameFileWhateverBitOfItWasFlipped) {
  for (std::size_t place = 0; place < before_[0].size(); place += 499)
    EXPECT_GE(complete_with(flipped(before_[0], place), before_[1]), 1U) << place;
}

TEST_F(Resume, ComesToTheSameFileWhateverByteOfTheJournalChanged) {
  for (std::size_t place = 0; place < before_[1].size(); place += 11)
    EXPECT_LT(complete_with(before_[0], flipped(before_[1], place)), 2U) << place;
}

TEST_F(Resume, ComesToTheSameFileWhereverOneOfThemWasCut) {
  for (const double share : {0.0, 0.1, 0.4, 0.7, 0.99}) {
    const auto cut = [share](const std::string& content) {
      return content.substr(0, static_cast<std::size_t>(share * static_cast<double>(content.size())));
    };
    complete_with(cut(before_[0]), before_[1]);
    complete_with(before_[0], cut(before_[1]));
  }
}

TEST_F(Resume, RefusesAFileOfOtherSettings) {
  GroupsPlan other = plan;
  other.times[0][1] = 1.5;
  const auto sentence = testing_support::sentence_of([&] { GroupsWriter(scratch_.path("a.h5"), other); });
  EXPECT_PRED2(testing_support::has, sentence, "a.h5.part was begun with other settings");
  EXPECT_EQ(bytes(left_[0]), before_[0]);
  EXPECT_EQ(bytes(left_[1]), before_[1]);
}

}  // namespace
}  // namespace cvf::data

// `cvf report` as a user meets it.
#include <gtest/gtest.h>

#include "core/files.hpp"
#include "support/program.hpp"
#include "support/small_study.hpp"

namespace cvf {
namespace {

using testing_support::run;
using testing_support::Scratch;

TEST(ReportVerb, WritesThePageIntoTheFolderOrWhereItIsTold) {
  const Scratch scratch;
  const testing_support::SmallStudy study(scratch);
  setenv("SOURCE_DATE_EPOCH", "0", 1);  // midnight may pass between the two
  const auto ran = run(scratch, {"report", study.folder()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(files::read_whole(study.in("report.html")).find("A small study"), std::string::npos);
  EXPECT_EQ(run(scratch, {"report", study.folder(), "--out", scratch.path("page.html")}).code, 0);
  EXPECT_EQ(files::read_whole(scratch.path("page.html")), files::read_whole(study.in("report.html")));
  EXPECT_NE(files::read_whole(scratch.path("page.html")).find("1970-01-01"), std::string::npos);
  unsetenv("SOURCE_DATE_EPOCH");
}

TEST(ReportVerb, AFolderThatIsNotThereIsOneSentence) {
  const Scratch scratch;
  const auto ran = run(scratch, {"report", scratch.path("nowhere")});
  EXPECT_EQ(ran.code, static_cast<int>(Exit::data));
  EXPECT_EQ(ran.err, "cvf: " + scratch.path("nowhere") + ": no such folder\n");
}

}  // namespace
}  // namespace cvf

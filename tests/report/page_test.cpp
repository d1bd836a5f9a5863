// The page itself: nothing breaks out of it, nobody is asked for anything, a browser opens it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "core/files.hpp"
#include "report/report.hpp"
#include "support/small_study.hpp"

namespace cvf::report {
namespace {

using testing_support::Scratch;
using testing_support::SmallStudy;
using testing_support::write_text;

// The JSON as a browser would find it: between its tag and the next end of a script.
Json document_in(const std::string& page) {
  const std::string tag = "id=\"document\">";
  const auto begin = page.find(tag) + tag.size();
  return Json::parse(page.substr(begin, page.find("</script", begin) - begin));
}

TEST(Report, NothingInTheDataCanBecomeMarkupOrCode) {
  const Scratch scratch;
  const std::string evil = "</script><script>alert(1)</script><!--<b>&'";
  const SmallStudy study(scratch, evil);
  write_text(study.in("tables/evil.csv"), evil + "\n\xff\xfe broken\n");
  write_report(study.folder(), scratch.path("page.html"), true);
  const std::string page = files::read_whole(scratch.path("page.html"));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<!--<b"), std::string::npos);
  EXPECT_NE(
      page.find(
          "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--&lt;b&gt;&amp;&#39;</title>"),
      std::string::npos);
  EXPECT_EQ(document_in(page)["title"], evil);
}

TEST(Report, AMarkOfTheFormInsideTheDataIsLeftAlone) {
  const std::string page = page_of({{"title", "{{script}} {{document}}"}, {"cells", Json::array()}});
  EXPECT_NE(page.find("<title>{{script}} {{document}}</title>"), std::string::npos);
  EXPECT_EQ(document_in(page)["title"], "{{script}} {{document}}");
}

TEST(Report, ThePageAsksNobodyForAnything) {
  const std::string page = page_of({{"title", "t"}});
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const auto* word : {"https://", "src=\"", "@import", "fetch(", "innerHTML", "eval("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
}

// 24 forecasts of 64 frames on 50 x 50 cells, their errors and the truth would be 23 MB.
TEST(Report, StaysBelowTenMegabytes) {
  const Scratch scratch;
  const testing_support::SmallGrid grid{100, 100, {"u", "v"}, 70};
  testing_support::write_waves(scratch.path("big.h5"), grid, 0, false);
  testing_support::write_run(scratch.path("study/run"), scratch.path("big.h5"), grid, 0.1);
  std::string lines;
  for (int option = 0; option < 6; ++option) {
    for (int method = 0; method < 4; ++method) {
      lines +=
          fmt::format(R"({{"data":"big","option":"o{}","method":"m{}","run":"run"}})", option, method) + "\n";
    }
  }
  write_text(scratch.path("study/results.jsonl"), lines);
  const std::size_t bytes = write_report(scratch.path("study"), scratch.path("page.html"), true);
  EXPECT_LT(bytes, 10'000'000U);
  EXPECT_GT(bytes, 4'000'000U);  // and uses what it may
}

// A browser opens it from a file:// address: scripts/check-report says what it looks at.
void expect_sound(const std::string& page) {
  const std::string command = std::string(CVF_SOURCE_DIR) + "/scripts/check-report " + page;
  const int status = std::system(command.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "Chromium is not installed";
  EXPECT_EQ(status, 0);
}

TEST(SlowReport, OpensInChromium) {
  const Scratch scratch;
  const SmallStudy study(scratch, "Waves & springs <script>alert(1)</script>");
  study.bring_up_to_date();
  write_report(study.folder(), scratch.path("page.html"), true);
  expect_sound(scratch.path("page.html"));
}

TEST(SlowReport, OfAFolderWithoutBaselinesOpensInChromium) {
  const Scratch scratch;
  const SmallStudy study(scratch);
  write_report(study.folder(), scratch.path("page.html"), true);
  expect_sound(scratch.path("page.html"));
}

}  // namespace
}  // namespace cvf::report

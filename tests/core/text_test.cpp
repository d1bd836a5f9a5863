#include "core/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "core/errors.hpp"
#include "core/registry.hpp"

namespace cvf::text {
namespace {

const std::vector<std::string> known{"diffusion_reaction", "shallow_water", "wave"};

TEST(Text, NearestFindsASlipButNotAnotherWord) {
  EXPECT_EQ(nearest("difusion_reaction", known), "diffusion_reaction");
  EXPECT_EQ(nearest("wav", known), "wave");
  EXPECT_EQ(nearest("pendulum", known), "");
  EXPECT_EQ(suggestion("wavee", known), " (did you mean 'wave'?)");
  EXPECT_EQ(suggestion("pendulum", known), " (known: diffusion_reaction, shallow_water, wave)");
}

TEST(Text, SizesAndDurationsReadLikeSpeech) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(999), "999 B");
  EXPECT_EQ(bytes(13238272000), "13.2 GB");
  EXPECT_EQ(bytes(999999999), "1 GB");
  EXPECT_EQ(duration(1.25), "1.2 s");
  EXPECT_EQ(duration(125), "2 min 05 s");
  EXPECT_EQ(duration(3725), "1 h 02 min");
}

TEST(Text, NumbersMustFillTheWord) {
  EXPECT_EQ(to_integer("-12", "--n"), -12);
  EXPECT_EQ(to_real("1e-3", "--dt"), 1e-3);
  for (const char* bad : {"", "12x", "x", "1.5"}) EXPECT_THROW(to_integer(bad, "--n"), UsageError) << bad;
}

TEST(Text, AShellReadsAQuotedWordBack) {
  for (const std::string word :
       {"", "runs/a-1_b.toml", "my run", "$(rm x); `a` & \"b\" | c > d", "it's", "''", "a\\b\nc", "*?[~!#",
        "gr\xc3\xb6\xc3\x9f"
        "e"}) {
    std::FILE* shell = popen(("printf %s " + shell_quoted(word)).c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string read(100, '\0');
    read.resize(std::fread(read.data(), 1, read.size(), shell));
    EXPECT_EQ(pclose(shell), 0);
    EXPECT_EQ(read, word);
  }
  EXPECT_EQ(shell_quoted("runs/a-1_b.toml"), "runs/a-1_b.toml");
  EXPECT_EQ(shell_quoted("my run"), "'my run'");
}

TEST(Text, ControlCharactersAreShownInsteadOfSent) {
  EXPECT_EQ(printable("plain, caf\u00e9 \u03c8 \U0001f30a"), "plain, caf\u00e9 \u03c8 \U0001f30a");
  EXPECT_EQ(printable("\x1b[2Ju\x07\x7f"), "\\x1b[2Ju\\x07\\x7f");
  EXPECT_EQ(printable("a\r\nb\t"), "a\\x0d\\x0ab\\x09");
  EXPECT_EQ(printable("a\nb", "\n"), "a\nb");
  EXPECT_EQ(printable("\xc2\x9bJ"), "\\xc2\\x9bJ") << "U+009B begins a command on some terminals";
  EXPECT_EQ(printable("\x9b\xff\xe2\x82"), "\\x9b\\xff\\xe2\\x82");
}

TEST(NumberTable, KeepsWholeLinesAndMarksCellsWithoutANumber) {
  const auto table = read_numbers("step,loss,error\n1,0.5,\n2,0.25,1e-3\n3,0.1");
  EXPECT_EQ(table.names, (std::vector<std::string>{"step", "loss", "error"}));
  ASSERT_EQ(table.rows.size(), 2U);  // the last line was cut short
  EXPECT_TRUE(std::isnan(table.rows[0][2]));
  EXPECT_EQ(table.rows[1], (std::vector<double>{2, 0.25, 1e-3}));
  EXPECT_TRUE(read_numbers("").rows.empty());
}

TEST(Registry, AnUnknownNameIsAUsageErrorWithTheNearest) {
  struct Row {
    std::string_view name;
  };
  const std::vector<Row> rows{{"euler"}, {"dopri5"}};
  EXPECT_EQ(&find<Row>(rows, "dopri5", "solver"), &rows[1]);
  try {
    find<Row>(rows, "dopri", "solver");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown solver 'dopri' (did you mean 'dopri5'?)");
    EXPECT_EQ(error.code(), Exit::usage);
  }
}

}  // namespace
}  // namespace cvf::text

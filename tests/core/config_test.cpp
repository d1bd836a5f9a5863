#include "core/config.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/errors.hpp"

namespace cvf::config {
namespace {

enum class Norm { row, batch };
constexpr std::array<std::pair<std::string_view, Norm>, 2> norms{
    {{"row", Norm::row}, {"batch", Norm::batch}}};

struct Options {
  double rtol = 1e-3;
  int steps = 4;
  bool dense = false;
  std::string name = "dopri5";
  Norm norm = Norm::row;
  std::vector<double> times{0, 0.5};
  double inner_depth = 2;
};

Describe describe(Options& o) {
  return [&o](Section& s) {
    s.key("rtol", &o.rtol, "relative tolerance", above(0));
    s.key("steps", &o.steps, "steps per interval", between(1, 100));
    s.key("dense", &o.dense, "dense output");
    s.key("name", &o.name, "which one", one_of({"dopri5", "euler"}));
    s.choice<Norm>("norm", o.norm, norms, "error norm");
    s.key("times", &o.times, "output times");
    s.table("inner", "a table inside",
            [&o](Section& inner) { inner.key("depth", &o.inner_depth, "metres"); });
  };
}

std::string sentence_of(const std::string& toml, std::vector<std::string> sets = {}) {
  Options o;
  try {
    Document document = Document::from_text(toml, "run.toml");
    for (const auto& set : sets) document.set(set);
    document.read(describe(o));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Config, GlancesAtSingleValues) {
  const Document document = Document::from_text("[a]\nword = 'x'\ntruth = false\nnumber = 2.5\n", "run.toml");
  EXPECT_EQ(document.look_up("a.word"), "x");
  EXPECT_EQ(document.look_up("a.truth"), "false");
  EXPECT_EQ(document.look_up("a.number"), "2.5");
  EXPECT_EQ(document.look_up("a.missing.word"), std::nullopt);
  const auto listed =
      Document::from_text(
          "b = [1, 2]\n[a]\nword = \"x\"\n[a.\"c+\"]\ntruth = true\n[d]\nlist = [\"p=1\", \"q\"]\n", "t")
          .all();
  EXPECT_EQ(listed, (std::vector<std::pair<std::string, std::string>>{
                        {"a.c+.truth", "true"}, {"a.word", "x"}, {"b", "1, 2"}, {"d.list", "p=1, q"}}));
}

TEST(Config, ReadsEveryKindOfValue) {
  Options o;
  Document::from_text(
      "rtol = 1e-5\nsteps = 7\ndense = true\nname = 'euler'\nnorm = 'batch'\ntimes = [1, "
      "2.5]\n[inner]\ndepth = 3\n",
      "t")
      .read(describe(o));
  EXPECT_EQ(o.rtol, 1e-5);
  EXPECT_EQ(o.steps, 7);
  EXPECT_TRUE(o.dense);
  EXPECT_EQ(o.name, "euler");
  EXPECT_EQ(o.norm, Norm::batch);
  EXPECT_EQ(o.times, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(o.inner_depth, 3);
}

TEST(Config, WhatIsWrittenReadsBackTheSame) {
  Options o;
  o.rtol = 0.1 + 0.2;
  o.times = {1e-17, 3};
  o.norm = Norm::batch;
  const std::string written = write(describe(o));
  Options back;
  Document::from_text(written, "t").read(describe(back));
  EXPECT_EQ(back.rtol, o.rtol);
  EXPECT_EQ(back.times, o.times);
  EXPECT_EQ(write(describe(back)), written);
}

TEST(Config, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(sentence_of("rtoll = 1.0"), "run.toml: unknown key 'rtoll' (did you mean 'rtol'?)");
  EXPECT_EQ(sentence_of("[inner]\ndeepth = 1"),
            "run.toml: unknown key 'inner.deepth' (did you mean 'depth'?)");
}

TEST(Config, WrongTypesAndValuesSayWhatWouldBeRight) {
  EXPECT_EQ(sentence_of("rtol = 'x'"), "run.toml: rtol = 'x' must be a number");
  EXPECT_EQ(sentence_of("rtol = 0"), "run.toml: rtol = 0 must be greater than 0");
  EXPECT_EQ(sentence_of("rtol = nan"), "run.toml: rtol = nan must be greater than 0");
  EXPECT_EQ(sentence_of("steps = 2.5"), "run.toml: steps = 2.5 must be a whole number");
  EXPECT_EQ(sentence_of("steps = true"), "run.toml: steps = true must be a whole number");
  EXPECT_EQ(sentence_of("steps = 101"), "run.toml: steps = 101 must be between 1 and 100");
  EXPECT_EQ(sentence_of("name = 'eulr'"),
            "run.toml: name = 'eulr' is not one of dopri5, euler (did you mean 'euler'?)");
  EXPECT_EQ(sentence_of("inner = 3"), "run.toml: 'inner' must be a table");
  EXPECT_NE(sentence_of("rtol = ").find("run.toml: line 1"), std::string::npos);
}

TEST(Config, WholeNumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(sentence_of("steps = 4294967297"), "run.toml: steps = 4294967297 must be at most 2147483647");
  EXPECT_EQ(sentence_of("steps = -4294967295"), "run.toml: steps = -4294967295 must be at least -2147483648");
  EXPECT_EQ(sentence_of("", {"steps=4294967297"}), "run.toml: steps = 4294967297 must be at most 2147483647");
}

TEST(Config, SetOverridesAndTakesBareWords) {
  Options o;
  Document document = Document::from_text("rtol = 1.0", "t");
  document.set("rtol=0.5");
  document.set("name=euler");
  document.set("inner.depth=4");
  document.set("times=[7]");
  document.read(describe(o));
  EXPECT_EQ(o.rtol, 0.5);
  EXPECT_EQ(o.name, "euler");
  EXPECT_EQ(o.inner_depth, 4);
  EXPECT_EQ(o.times, std::vector<double>{7});
  EXPECT_EQ(sentence_of("", {"rtol"}), "--set rtol: write it as table.key=value");
  EXPECT_EQ(sentence_of("", {"rtol=1", "rtol.x=1"}), "--set rtol.x=1: 'rtol' is a value, not a table");
}

TEST(Config, ExplainShowsDefaultMeaningAndLimits) {
  Options o;
  const std::string text = explain(describe(o));
  EXPECT_NE(text.find("rtol = 0.001\n      relative tolerance; greater than 0"), std::string::npos) << text;
  EXPECT_NE(text.find("[inner] a table inside"), std::string::npos) << text;
}

struct Method {
  std::string solver = "euler";
  void describe(Section& s) { s.key("solver", &solver, "which one"); }
};

TEST(NamedTables, KeepTheirNamesAndTheOrderOfTheFile) {
  std::vector<std::pair<std::string, Method>> methods;
  const Describe all = [&](Section& s) { s.tables("method", methods, "what is compared"); };
  Document::from_text("[method.sm]\n[method.\"cvf+\"]\nsolver = \"gcs\"\n[method.cfm]\n", "study.toml")
      .read(all);
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[0].first, "sm");
  EXPECT_EQ(methods[1].first, "cvf+");
  EXPECT_EQ(methods[1].second.solver, "gcs");
  EXPECT_EQ(methods[2].first, "cfm");
}

TEST(NamedTables, SurviveBeingWritten) {
  std::vector<std::pair<std::string, Method>> methods{{"cvf+", {"gcs"}}, {"sm", {"euler"}}}, again;
  const std::string text = write([&](Section& s) { s.tables("method", methods, ""); });
  Document::from_text(text, "again").read([&](Section& s) { s.tables("method", again, ""); });
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].first, "cvf+");
  EXPECT_EQ(again[0].second.solver, "gcs");
}

TEST(NamedTables, RefuseAKeyThatNobodyKnows) {
  std::vector<std::pair<std::string, Method>> methods;
  try {
    Document::from_text("[method.sm]\nsolvr = \"rk4\"\n", "study.toml").read([&](Section& s) {
      s.tables("method", methods, "");
    });
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "study.toml: unknown key 'method.sm.solvr' (did you mean 'solver'?)");
  }
}

}  // namespace
}  // namespace cvf::config

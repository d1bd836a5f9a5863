// Texts that are no configuration: each is refused with a sentence, none ends the process.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/files.hpp"
#include "core/random.hpp"

namespace cvf::config {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    Document::from_text(text, "run.toml").look_up("a.b");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(HostileConfig, ATableWhoseNameBeginsWithADotIsNamedWithItsLine) {
  for (const char* header : {"[.x]", "[ .x]", "[[.x]]"}) {
    EXPECT_EQ(refusal_of(std::string("a = 1\n\n") + header + "\nb = 2\n"),
              "run.toml: line 3: is no TOML; a table's name begins with a letter, a digit or a quote");
  }
  Document document;
  EXPECT_NO_THROW(document.set("word=1\n[.x]"));
}

TEST(HostileConfig, KeysAndValuesWithoutEndAreRefused) {
  std::string key = "a";
  for (int i = 0; i < 300000; ++i) key += ".a";
  EXPECT_EQ(refusal_of("[" + key + "]"),
            "run.toml: line 1: has more than 20000 dots; no key is nested so deeply");
  EXPECT_NE(refusal_of("\nx = " + std::string(300000, '[')).find("run.toml: line 2: "), std::string::npos);
  Document document;
  EXPECT_THROW(document.set("x={" + key + "=1}"), ConfigError);
}

std::vector<std::string> all_configs() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(CVF_SOURCE_DIR "/configs")) {
    if (entry.path().extension() == ".toml") out.push_back(files::read_whole(entry.path().string()));
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t number) : random_(0, "tests.config", number) {}

  std::string operator()(std::string text) {
    if (below(2) == 0) text = text.substr(below(text.size()), 1 + below(60));
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_.bits() % end); }

  void change(std::string& text) {
    static constexpr std::array pieces{"[",   "]",   ".",    "\"",   "'",    "=",     "{",  "}",
                                       "#",   "\n",  "_",    "0x",   "1e",   "-",     "+",  "nan",
                                       "inf", "\\u", "\\",   "[[",   "]]",   " ",     "\t", "07:00",
                                       "'''", ",",   "true", "\xff", "\r\n", "\"\"\""};
    const std::size_t place = below(text.size() + 1);
    switch (below(3)) {
      case 0:
        text.insert(place, pieces[below(pieces.size())]);
        break;
      case 1:
        text.erase(place, 1 + below(5));
        break;
      default:
        if (place < text.size()) text[place] = static_cast<char>(below(256));
    }
  }

  RandomStream random_;
};

TEST(HostileConfig, MutatedTextsAreReadOrRefused) {
  const auto texts = all_configs();
  ASSERT_GT(texts.size(), 2U);
  std::size_t refused = 0;
  constexpr std::size_t tried = 5000;
  for (std::size_t i = 0; i < tried; ++i) {
    const std::string text = Mutator(i)(texts[i % texts.size()]);
    SCOPED_TRACE(text);
    refused += refusal_of(text).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, tried / 10);
  EXPECT_LT(refused, tried);
}

}  // namespace
}  // namespace cvf::config

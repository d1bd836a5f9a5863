// The manual against the program: what a page tells a reader to type must exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/files.hpp"
#include "support/program.hpp"

namespace cvf {
namespace {

namespace fs = std::filesystem;
using testing_support::Ran;
using testing_support::run;
using testing_support::Scratch;
using Words = std::vector<std::string>;
using Names = std::set<std::string>;

const fs::path root(CVF_SOURCE_DIR);

// Verbs that the program names already and that are on their way.
const Names promised{"report"};

std::map<std::string, std::string> pages() {
  std::map<std::string, std::string> out{{"README.md", files::read_whole((root / "README.md").string())}};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() != ".md") continue;
    out[fs::relative(entry.path(), root).generic_string()] = files::read_whole(entry.path().string());
  }
  return out;
}

std::vector<std::smatch> all_matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator()};
}

Names captures(const std::string& text, const std::string& pattern) {
  Names out;
  for (const auto& match : all_matches(text, std::regex(pattern))) out.insert(match[1].str());
  return out;
}

// `...` and the lines of ``` blocks: what a reader may copy.
Words code_of(const std::string& page) {
  Words out;
  static const std::regex blocks("```[a-z]*\n([^`]*)```"), spans("`([^`\n]+)`"), lines("([^\n]+)");
  std::string prose;
  auto rest = page.cbegin();
  for (const auto& block : all_matches(page, blocks)) {
    prose.append(rest, block[0].first);
    rest = block[0].second;
    const std::string content = block[1].str();
    for (const auto& line : all_matches(content, lines)) out.push_back(line[1].str());
  }
  prose.append(rest, page.cend());
  for (const auto& span : all_matches(prose, spans)) out.push_back(span[1].str());
  return out;
}

class Docs : public testing::Test {
 protected:
  std::string explained(const std::string& table) { return said({"explain", table}); }
  std::string said(const Words& words) {
    const Ran ran = run(scratch_, words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  }

  static Names keys(const std::string& text) { return captures(text, "\n  ([a-zA-Z_.]+) = "); }

  // "cvf: ...\n  lambda = 1.0 ..." as name -> keys.
  static std::map<std::string, Names> shelf(const std::string& text) {
    std::map<std::string, Names> out;
    const auto heads = all_matches(text, std::regex("\n([a-z0-9]+): "));
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const auto end = i + 1 < heads.size() ? heads[i + 1].position() : static_cast<long>(text.size());
      const auto begin = heads[i].position();
      out[heads[i][1].str()] =
          keys(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    }
    return out;
  }

  void expect_a_page_for_each(const std::string& table, const std::string& folder) {
    const auto rows = shelf(explained(table));
    EXPECT_GE(rows.size(), 5U);
    for (const auto& [name, options] : rows) {
      const fs::path page = root / "docs" / folder / (name + ".md");
      ASSERT_TRUE(fs::exists(page)) << page << " is missing: the page of the " << table << " " << name;
      EXPECT_EQ(captures(files::read_whole(page.string()), "\n\\| `([^`]+)` \\|"), options)
          << page << ": its table of options is not that of cvf explain " << table;
    }
  }

  // Every key that some --set, RUN.toml or study may name.
  Names every_key() {
    Names out = keys(explained("run"));
    for (const auto* table : {"objective", "solver"}) {
      for (const auto& [name, options] : shelf(explained(table))) {
        for (const auto& key : options) out.insert(std::string(table) + "." + key);
      }
    }
    for (const auto* table : {"study", "generate"}) out.merge(keys(explained(table)));
    return out;
  }

  // "... generate SYSTEM ... --set system.KEY=..." names the system whose key it is.
  bool is_of_its_system(const std::string& key, const std::string& command) {
    const auto systems = captures(command, "generate ([a-z_]+)");
    return key.starts_with("system.") && !systems.empty() &&
           keys(explained(*systems.begin())).contains(key.substr(7));
  }

  const std::string& help(const Words& verb) {
    auto& text = helps_[verb];
    if (text.empty()) {
      Words words = verb;
      words.push_back("--help");
      text = said(words);
    }
    return text;
  }

  // The verbs below `verb` as its help lists them.
  Names below(const Words& verb) {
    const std::string& text = help(verb);
    const auto place = text.find("Subcommands:\n");
    return place == std::string::npos ? Names{} : captures(text.substr(place), "\n  ([a-z]+)  ");
  }

  Scratch scratch_;
  std::map<Words, std::string> helps_;
};

TEST_F(Docs, EveryObjectiveAndSolverHasAPageWithItsOptions) {
  expect_a_page_for_each("objective", "objectives");
  expect_a_page_for_each("solver", "solvers");
}

TEST_F(Docs, EveryObjectiveHasALineInTheGlossaryOfTheReport) {
  const std::string page = files::read_whole((root / "src/report/page/glossary.js").string());
  for (const auto& [name, options] : shelf(explained("objective")))
    EXPECT_NE(page.find("\n  " + name + ": \""), std::string::npos) << name;
}

TEST_F(Docs, NameOnlyVerbsAndOptionsThatExist) {
  int seen = 0;
  for (const auto& [page, text] : pages()) {
    for (const auto& code : code_of(text)) {
      static const std::regex command("(^|/| )cvf( [a-z]+)( [a-z]+)?([^#]*)");
      std::smatch match;
      if (!std::regex_search(code, match, command) || match[0].str().find("cvf:") == 0) continue;
      const std::string first = match[2].str().substr(1);
      if (promised.contains(first)) continue;
      ++seen;
      ASSERT_TRUE(below({}).contains(first)) << page << ": there is no verb in: " << code;
      Words verb{first};
      if (first == "data" || first == "bench") {
        if (!match[3].matched) continue;
        verb.push_back(match[3].str().substr(1));
        ASSERT_TRUE(below({first}).contains(verb[1])) << page << ": there is no verb in: " << code;
      }
      const std::string known = help(verb) + help({});
      for (const auto& option : captures(match[4].str(), "(--[a-z-]+)")) {
        EXPECT_TRUE(std::regex_search(known, std::regex(option + "[ ,=\n]")))
            << page << ": " << option << " is no option in: " << code;
      }
    }
  }
  EXPECT_GT(seen, 40) << "the scan found too little to mean anything";
}

TEST_F(Docs, NameOnlyConfigurationKeysThatExist) {
  const Names known = every_key(), file_endings{"toml", "md", "jsonl", "safetensors"};
  Names tables;
  for (const auto& key : keys(explained("run"))) {
    if (key.find('.') != std::string::npos) tables.insert(key.substr(0, key.find('.')));
  }
  int seen = 0;
  for (const auto& [page, text] : pages()) {
    for (const auto& line : code_of(text)) {
      const std::string code = line.substr(0, line.find('#'));  // what comes then is a comment
      for (const auto& key : captures(code, "--set '?([a-z_.]+)=")) {
        ++seen;
        const bool own_name = key.starts_with("preset.");
        EXPECT_TRUE(own_name || known.contains(key) || is_of_its_system(key, code))
            << page << ": no key " << key << " in: " << code;
      }
      std::smatch match;
      if (!std::regex_match(code, match, std::regex("\"?([a-z]+)\\.([a-z_.]+)( = .*|=.*)?"))) continue;
      if (!tables.contains(match[1].str()) || file_endings.contains(match[2].str())) continue;
      ++seen;
      EXPECT_TRUE(known.contains(match[1].str() + "." + match[2].str())) << page << ": no such key: " << code;
    }
  }
  EXPECT_GT(seen, 20) << "the scan found too little to mean anything";
}

TEST_F(Docs, ShowRunsThatCvfTrainWouldTake) {
  int seen = 0;
  for (const auto& [page, text] : pages()) {
    for (const auto& match : all_matches(text, std::regex("```toml\n([^`]*)```"))) {
      if (match[1].str().find("[train]") == std::string::npos) continue;
      ++seen;
      files::write_atomically(scratch_.path("run.toml"), match[1].str());
      const Ran ran = run(scratch_, {"train", scratch_.path("run.toml"), "--print-config"});
      EXPECT_EQ(ran.code, 0) << page << ": " << ran.err;
    }
  }
  EXPECT_GE(seen, 1);
}

TEST_F(Docs, LinkOnlyToWhatIsThere) {
  for (const auto& [page, text] : pages()) {
    const fs::path folder = (root / page).parent_path();
    for (const auto& link : captures(text, "\\]\\(([^)#]+)\\)")) {
      EXPECT_TRUE(link.starts_with("http") || fs::exists(folder / link)) << page << " links to " << link;
    }
    for (const auto& code : code_of(text)) {
      static const std::regex path("(src|tests|studies|configs|examples|scripts|docs)/[A-Za-z0-9_./+-]+");
      EXPECT_TRUE(!std::regex_match(code, path) || fs::exists(root / code)) << page << " names " << code;
    }
  }
}

}  // namespace
}  // namespace cvf

// No result of libhdf5 is dropped: the source itself is read for calls whose failure would go unnoticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "core/files.hpp"

namespace cvf::data {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Comments and texts become spaces, so that places in the source stay the same.
std::string code_of(const std::string& source) {
  static const std::regex others(R"(//[^\n]*|"([^"\\\n]|\\.)*")");
  std::string out = source;
  for (std::sregex_iterator at(source.begin(), source.end(), others), end; at != end; ++at)
    std::fill_n(out.begin() + at->position(), at->length(), ' ');
  return out;
}

bool has_reason(const std::string& source, std::size_t place) {
  const std::size_t end = source.find('\n', place), begin = source.rfind('\n', place) + 1;
  const std::size_t above = begin < 2 ? 0 : source.rfind('\n', begin - 2) + 1;
  return source.substr(above, end - above).find("//") != std::string::npos;
}

// The calls whose result is dropped, or goes into a Handle that nothing checks.
Words unchecked_calls(const std::string& source, int& calls) {
  if (source.find("H5") == std::string::npos) return {};
  static const std::regex call(R"(\bH5[A-Z]*[a-z]\w*\()"), dropped(R"((^|[;{})]|\belse|\bdo)\s*$)"),
      cast(R"(\(\s*void\s*\)\s*$)"), unnamed(R"(\bHandle\($)"),
      named(R"((?:\bHandle|,) (?!checked)(\w+)\($)");
  const std::string code = code_of(source);
  Words out;
  for (std::sregex_iterator at(code.begin(), code.end(), call), end; at != end; ++at, ++calls) {
    const auto place = static_cast<std::size_t>(at->position());
    const std::string before = code.substr(place < 80 ? 0 : place - 80, std::min<std::size_t>(place, 80));
    std::smatch match;
    bool is_checked = true;
    if (std::regex_search(before, cast)) {
      is_checked = has_reason(source, place);
    } else if (std::regex_search(before, match, named)) {
      is_checked =
          std::regex_search(code.substr(place, 600), std::regex("[!(&]" + match[1].str() + "\\b(?!\\.)"));
    } else {
      is_checked = !std::regex_search(before, dropped) && !std::regex_search(before, unnamed);
    }
    if (!is_checked) out.push_back(code.substr(place, static_cast<std::size_t>(at->length()) - 1));
  }
  return out;
}

Words unchecked_calls(const std::string& source) {
  int calls = 0;
  return unchecked_calls(source, calls);
}

TEST(Hdf5Calls, AreFoundWhereNothingChecksThem) {
  EXPECT_EQ(unchecked_calls("{ H5Fclose(id); }"), Words{"H5Fclose"});
  EXPECT_EQ(unchecked_calls("int a;\n  H5Pset_chunk(a, 1, b);"), Words{"H5Pset_chunk"});
  EXPECT_EQ(unchecked_calls("if (deep) H5Pset_shuffle(a);"), Words{"H5Pset_shuffle"});
  EXPECT_EQ(unchecked_calls("if (x < 0) y();\nelse H5open();"), Words{"H5open"});
  EXPECT_EQ(unchecked_calls("(void)H5Idec_ref(id);"), Words{"H5Idec_ref"});
  EXPECT_EQ(unchecked_calls("const Handle space(H5Screate(H5S_SCALAR));\nuse(space.get());"),
            Words{"H5Screate"});
  EXPECT_EQ(unchecked_calls("const Handle a(checked(H5Screate(x), y)), b(H5Screate(x));\nuse(b.get());"),
            Words{"H5Screate"});
  EXPECT_EQ(unchecked_calls("return Handle(H5Screate(H5S_SCALAR));"), Words{"H5Screate"});
}

TEST(Hdf5Calls, AreLeftAloneWhereSomethingDoes) {
  EXPECT_EQ(unchecked_calls("checked(H5Fflush(id), name);"), Words{});
  EXPECT_EQ(unchecked_calls("if (H5Fflush(id) < 0) throw 1;"), Words{});
  EXPECT_EQ(unchecked_calls("const herr_t good = H5Fflush(id);"), Words{});
  EXPECT_EQ(unchecked_calls("(void)H5Idec_ref(id);  // a destructor"), Words{});
  EXPECT_EQ(unchecked_calls("Handle group(H5Gopen2(id));\nif (!group) throw 1;"), Words{});
  EXPECT_EQ(unchecked_calls("return Handle(checked(H5Screate(a), name));"), Words{});
  EXPECT_EQ(unchecked_calls("f();  // H5Fclose(id)\ng(\"; H5Fclose(id)\");"), Words{});
}

TEST(Hdf5Calls, AreAllCheckedInTheSource) {
  int calls = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(CVF_SOURCE_DIR) / "src")) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    for (const auto& call : unchecked_calls(files::read_whole(entry.path().string()), calls))
      ADD_FAILURE() << entry.path().string() << ": the result of " << call << " is not checked";
  }
  EXPECT_GT(calls, 60) << "the scan found too little to mean anything";
}

}  // namespace
}  // namespace cvf::data

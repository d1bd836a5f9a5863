// One HTML file that needs nothing else: the page's own files, embedded in the program, around a JSON
// document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"

namespace cvf::report {

/// A file of report/page.
struct PageFile {
  std::string_view name, content;
};

/// All of them, scripts in the order in which they run. Made by embed.cmake.
const std::vector<PageFile>& page_files();

/// The page that shows `document`. Nothing in the document can become markup or code.
std::string page_of(const Json& document);

std::string escaped(std::string_view text);         // for HTML
std::string json_for_script(const Json& document);  // no '<' in it, so no tag can begin or end

}  // namespace cvf::report

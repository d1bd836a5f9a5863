// `cvf report`: a folder as one HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"

namespace cvf::report {

/// Everything that the page of a folder shows:
///   kind "study" | "run", title, question, made_by, made_on {date, machine}, evaluated_on {dates, machines},
///   notes, methods, differences, cells, curves [{data, option, method, seed, ...}], scenes (sections.hpp),
///   floors, tables [{name, caption, csv}], palettes {sequential, diverging}: base64 of 256 RGB colours
Json document_of(const std::string& folder);

/// Writes the page; returns how many bytes it has. Refuses to replace what it reads (core/output_file.hpp),
/// and without `overwrite` any file.
std::size_t write_report(const std::string& folder, const std::string& out, bool overwrite);

// The page: the files of report/page, embedded in the program, around a JSON document; it needs nothing else.

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

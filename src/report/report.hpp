// `cvf report`: a folder as one HTML page.
#pragma once

#include <string>

#include "report/json.hpp"

namespace cvf::report {

/// Everything that the page of a folder shows:
///   kind "study" | "run", title, question, made_by, made_on {date, machine}, evaluated_on {dates, machines},
///   notes methods, differences [settings.hpp] cells [scores.hpp], curves [{data, option, method, seed,
///   ...curves.hpp}], scenes [scenes.hpp] floors, tables [{name, caption, csv}], palettes {sequential,
///   diverging}: base64 of 256 RGB colours
Json document_of(const std::string& folder);

/// Writes the page; returns how many bytes it has.
std::size_t write_report(const std::string& folder, const std::string& out);

}  // namespace cvf::report

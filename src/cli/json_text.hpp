// A result as JSON for the terminal and for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cvf::cli {

/// In ASCII, so that no text from a file can command the terminal; bytes that are no UTF-8 become U+FFFD.
inline std::string ascii(const nlohmann::json& document) {
  return document.dump(1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace cvf::cli

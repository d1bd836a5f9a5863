#pragma once

#include <string>

namespace cvf::testing_support {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cvf::testing_support

// What `cvf explain` can explain: a name, a line, and the text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/config.hpp"

namespace cvf::cli {

struct Topic {
  std::string name, summary;
  std::function<std::string()> text;
};

template <class Options>
std::string explained() {
  Options options;
  return config::explain([&options](config::Section& s) { options.describe(s); });
}

/// Velocity fields, normalizers, objectives and solvers (models/).
std::vector<Topic> model_topics();

}  // namespace cvf::cli

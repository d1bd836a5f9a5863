// Which of a file's numbers are the context of its states: parameters, static fields and controls, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.hpp"
#include "data/source.hpp"

namespace cvf::data {

struct ContextOptions {
  std::vector<std::string> parameters;  // scalars of a sample, or channels that never change
  std::vector<std::string> statics;     // fields of a sample, or channels that do not change with time
  std::vector<std::string> controls;    // series of a sample, or channels

  bool empty() const { return parameters.empty() && statics.empty() && controls.empty(); }
  void describe(config::Section& section);
};

/// The source with these taken out of its states: `context` gives them, and its channels are those that are
/// left. A channel that is a control of states on a grid is a control field. A DataError names what the file
/// does not have.
std::shared_ptr<const Source> with_context(std::shared_ptr<const Source> source,
                                           const ContextOptions& options);

}  // namespace cvf::data
